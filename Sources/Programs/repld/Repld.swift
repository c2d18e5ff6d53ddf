// The program `repld`.

@main struct Repld {
    static func main() {}
}
