import TestSupport
import Testing

@testable import FocusCore

@Suite("The seqs of a branch")
struct SeqListTests {
    @Test("whatever the order they come and go in, they are a sorted array's", arguments: 0..<40)
    func likeAnArray(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var list = SeqList()
        var array: [UInt64] = []
        for _ in 0..<60 {
            let seq = UInt64.random(in: 1...12, using: &random)
            let index = array.firstIndex { $0 >= seq } ?? array.count
            #expect(list.index(notBelow: seq) == index, "seed \(seed)")
            if index < array.count, array[index] == seq {
                array.remove(at: index)
                list.remove(at: index)
            } else {
                array.insert(seq, at: index)
                list.insert(seq, at: index)
            }
            #expect((0..<list.count).map { list[$0] } == array, "seed \(seed)")
            #expect(list.last == array.last)
        }
    }
}
