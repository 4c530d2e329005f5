/// Finds the word that was probably meant.
package enum Suggestion {
    /// A sentence that names the nearest of `candidates` (all of the nearest, where several are as near), with
    /// a space before it; empty where none is near enough to be a slip of the fingers.
    package static func sentence(for word: String, among candidates: [String]) -> String {
        let near = nearest(to: word, among: candidates)
        guard !near.isEmpty else { return "" }
        return " Did you mean \(near.map { "'\($0)'" }.joined(separator: " or "))?"
    }

    /// The candidates at the smallest distance from `word`, in their order: three at most, and none where that
    /// distance is over a third of the word's length (over 1, for a short word). A word of two letters or more
    /// is at distance 1 from what it is the beginning of.
    static func nearest(to word: String, among candidates: [String]) -> [String] {
        let limit = max(1, word.count / 3)
        let distances = candidates.map { candidate in
            let isBeginning = word.count > 1 && candidate.hasPrefix(word)
            return (candidate: candidate, distance: isBeginning ? 1 : editDistance(word, candidate))
        }
        guard let smallest = distances.map(\.distance).min(), smallest <= limit else { return [] }
        return distances.filter { $0.distance == smallest }.prefix(3).map(\.candidate)
    }

    /// The Damerau-Levenshtein distance (its restricted form, "optimal string alignment"): how many characters
    /// have to be inserted, deleted, replaced or swapped with their neighbour to make one word the other.
    static func editDistance(_ left: String, _ right: String) -> Int {
        let left = Array(left)
        let right = Array(right)
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for row in left.indices {
            var current = [row + 1]
            for column in right.indices {
                let replaced = last[column] + (left[row] == right[column] ? 0 : 1)
                var best = min(replaced, last[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                    best = min(best, beforeLast[column - 1] + 1)
                }
                current.append(best)
            }
            beforeLast = last
            last = current
        }
        return last[right.count]
    }
}
