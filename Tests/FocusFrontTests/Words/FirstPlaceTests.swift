import FocusFront
import Testing

@Suite("The first place of a pattern")
struct FirstPlaceTests {
    @Test(
        "is found also after a false beginning, and within one",
        arguments: [
            ([1, 2], 0..<2), ([2, 3], 1..<3), ([1, 2, 1, 3], 3..<7), ([3], 2..<3), ([9], nil), ([], nil),
            ([3, 1], 2..<4), ([3, 3], nil),
        ] as [([Int], Range<Int>?)])
    func place(pattern: [Int], expected: Range<Int>?) {
        let text = [1, 2, 3, 1, 2, 1, 3]
        #expect(text.firstPlace(of: pattern) == expected)
    }

    @Test("a pattern isn't found beyond the end of a slice")
    func slice() {
        let text = [0, 1, 2, 3]
        #expect(text[..<2].firstPlace(of: [1, 2]) == nil)
        #expect(text[1...].firstPlace(of: [2, 3]) == 2..<4)
    }

    @Test("a text's scalars are replaced at each occurrence")
    func replaced() {
        #expect("a--b-\u{301}-c".replacing(each: "-", by: "+") == "a++b+\u{301}+c")
        #expect("aXbX".replacing(each: "X", by: "") == "ab")
        #expect("ab".replacing(each: "X", by: "y") == "ab")
    }
}
