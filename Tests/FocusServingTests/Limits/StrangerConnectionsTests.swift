import Testing

@testable import FocusServing
@testable import FocusWriter

@Suite struct StrangerConnectionsTests {
    private func block(_ byte: UInt8) -> AddressBlock { AddressBlock(address: [192, 0, 2, byte]) }

    @Test("a stranger from a crowded address pushes out the oldest one from there, and nobody else")
    func crowd() {
        var doorway = StrangerConnections(perBlock: 2, limit: 100)
        let arrivals: [(ConnectionID, UInt8)] = [(1, 1), (2, 2), (3, 1), (4, 1), (5, 1), (6, 2)]
        let leaving = arrivals.map { doorway.arrive($0.0, from: block($0.1)) }
        #expect(leaving == [nil, nil, nil, 1, 3, nil])
        #expect([2, 4, 5, 6].allSatisfy(doorway.contains))
        #expect(doorway.count == 4)
    }

    @Test("if the doorway is full, the oldest of all goes; no table grows with the addresses") func full() {
        var doorway = StrangerConnections(perBlock: 2, limit: 3)
        let leaving = (1...200).map { doorway.arrive(ConnectionID($0), from: block(UInt8($0))) }
        #expect(leaving == [nil, nil, nil] + (1...197).map { ConnectionID($0) })
        #expect(doorway.count == 3)
        #expect(doorway.blockCount == 3)
        for connection in 198...200 { doorway.leave(ConnectionID(connection)) }
        #expect(doorway.count == 0)
        #expect(doorway.blockCount == 0)
    }

    @Test("a connection that arrives twice counts once, and one that isn't there can leave") func twice() {
        var doorway = StrangerConnections(perBlock: 1, limit: 3)
        let leaving = [doorway.arrive(1, from: block(1)), doorway.arrive(1, from: block(1))]
        #expect(leaving == [nil, nil])
        #expect(doorway.count == 1)
        doorway.leave(7)
        doorway.leave(1)
        doorway.leave(1)
        #expect(doorway.count == 0)
    }

    @Test("an IPv6 network is one address, and IPv4 written as IPv6 is IPv4") func blocks() {
        let network: [UInt8] = [0x20, 1, 0xD, 0xB8, 0, 0, 0, 1]
        func six(_ rest: UInt8...) -> AddressBlock { AddressBlock(address: network + rest) }
        #expect(six(0, 0, 0, 0, 0, 0, 0, 1) == six(9, 9, 9, 9, 9, 9, 9, 9))
        let next: [UInt8] = [0x20, 1, 0xD, 0xB8, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 1]
        #expect(six(0, 0, 0, 0, 0, 0, 0, 1) != AddressBlock(address: next))
        let zeros = [UInt8](repeating: 0, count: 10)
        #expect(AddressBlock(address: zeros + [0xFF, 0xFF, 192, 0, 2, 7]) == block(7))
        #expect(AddressBlock(address: zeros + [0, 0, 192, 0, 2, 7]) != block(7))
        #expect(AddressBlock(address: []) == .local)
        #expect(AddressBlock(address: [0, 0, 0, 0]) != .local)
    }
}
