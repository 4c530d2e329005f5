import Testing

@testable import FocusNet

@Suite struct HandshakeTurnsTests {
    @Test("a turn takes on four handshakes, the others wait for later ones, whoever came first the first")
    func turns() {
        var turns = HandshakeTurns<Int>()
        let first = (1...10).filter { turns.mayTakeOn($0) }
        #expect(first == [1, 2, 3, 4])
        #expect(takeOn(&turns) == [5, 6, 7, 8])
        #expect(takeOn(&turns) == [9, 10])
        #expect(turns.isEmpty)
    }

    @Test("who comes in a turn waits behind those who waited before")
    func newcomers() {
        var turns = HandshakeTurns<Int>()
        for client in 1...8 { _ = turns.mayTakeOn(client) }
        #expect(takeOn(&turns) == [5, 6, 7, 8])
        let isTakenOn = turns.mayTakeOn(9)
        #expect(!isTakenOn)
        #expect(takeOn(&turns) == [9])
    }

    /// Begins another turn, and takes on what may be.
    private func takeOn(_ turns: inout HandshakeTurns<Int>) -> [Int] {
        turns.next().filter { turns.mayTakeOn($0) }
    }
}
