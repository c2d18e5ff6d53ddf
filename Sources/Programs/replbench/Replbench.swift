// The program `replbench`.

@main struct Replbench {
    static func main() {}
}
