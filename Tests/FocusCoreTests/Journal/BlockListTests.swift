import FocusCore
import TestSupport
import Testing

@Suite("A list in blocks")
struct BlockListTests {
    @Test("holds what an array holds, however it grows and is cut", arguments: [1, 2, 3] as [UInt64])
    func grows(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var list = BlockList<Int>()
        var array: [Int] = []
        for _ in 0..<50 {
            for _ in 0..<Int.random(in: 0...900, using: &random) {
                list.append(array.count)
                array.append(array.count)
            }
            // The cut is sometimes at the edge of a block, and sometimes beyond the end.
            let kept =
                Bool.random(using: &random)
                ? array.count / 1024 * 1024 : .random(in: 0...9999, using: &random)
            list.cut(to: kept)
            array.removeLast(max(0, array.count - kept))
            #expect(list.count == array.count)
            #expect(list.elements == array)
        }
    }

    @Test("a copy keeps what it has when the other goes on")
    func copies() {
        var list = BlockList<Int>()
        for number in 0..<1500 { list.append(number) }
        let copy = list
        list.cut(to: 1030)
        list.append(7)
        #expect(copy.elements == Array(0..<1500))
        #expect(list.elements == Array(0..<1030) + [7])
    }
}
