// The program `replctl`.

@main struct Replctl {
    static func main() {}
}
