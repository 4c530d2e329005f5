/// Finds the word that was probably meant.
package enum Suggestion {
    /// Returns a sentence that names the nearest of `candidates`, or several equally near ones, with a space
    /// before it. It is empty if none is near enough to be a typing mistake.
    package static func sentence(for word: String, among candidates: [String]) -> String {
        let near = nearest(to: word, among: candidates)
        guard !near.isEmpty else { return "" }
        return " Did you mean \(near.map { "'\($0)'" }.joined(separator: " or "))?"
    }

    /// Returns up to three candidates at the smallest distance from `word`, in their order. There are none if
    /// the distance is more than a third of the word's length, or more than 1 for a short word. A candidate
    /// that begins with `word`, if this has at least two letters, has the distance 1. Capitals don't count.
    static func nearest(to word: String, among candidates: [String]) -> [String] {
        let word = word.lowercased()
        let limit = max(1, word.count / 3)
        let distances = candidates.map { candidate in
            let small = candidate.lowercased()
            let isBeginning = word.count > 1 && small != word && small.hasPrefix(word)
            return (candidate: candidate, distance: isBeginning ? 1 : editDistance(word, small))
        }
        guard let smallest = distances.map({ $0.distance }).min(), smallest <= limit else { return [] }
        return distances.filter { $0.distance == smallest }.prefix(3).map { $0.candidate }
    }

    /// Returns the restricted Damerau-Levenshtein distance ("optimal string alignment"): the number of
    /// characters to insert, delete, replace or swap with their neighbour to turn one word into the other.
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
