/// A clock in letters of blocks, to be read from afar.
enum BigDigits {
    /// Rows of a letter at the smallest scale.
    static let rows = 5

    /// The rows of blocks of a clock (`24:13`): true where there is one. A scale of n makes each block n rows high.
    static func pattern(_ clock: String) -> [[Bool]] {
        (0..<rows).map { row in
            Array(
                clock.compactMap { shapes[$0]?[row] }.map { $0.map { $0 == "#" } }.joined(separator: [false]))
        }
    }

    /// How many blocks wide a clock is.
    static func width(_ clock: String) -> Int { pattern(clock).first?.count ?? 0 }

    private static let shapes: [Character: [String]] = [
        "0": ["###", "# #", "# #", "# #", "###"],
        "1": [" # ", "## ", " # ", " # ", "###"],
        "2": ["###", "  #", "###", "#  ", "###"],
        "3": ["###", "  #", "###", "  #", "###"],
        "4": ["# #", "# #", "###", "  #", "  #"],
        "5": ["###", "#  ", "###", "  #", "###"],
        "6": ["###", "#  ", "###", "# #", "###"],
        "7": ["###", "  #", "  #", "  #", "  #"],
        "8": ["###", "# #", "###", "# #", "###"],
        "9": ["###", "# #", "###", "  #", "###"],
        ":": [" ", "#", " ", "#", " "],
    ]
}
