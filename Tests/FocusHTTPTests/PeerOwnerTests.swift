import TestTraits
import Testing

@testable import FocusHTTP

@Suite("Whose process a client is", .ends(within: .seconds(600)))
struct PeerOwnerTests {
    private let list = """
          sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
           0: 0100007F:1F6A 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 123 1 0000
           1: 0100007F:A334 0100007F:1F6A 01 00000000:00000000 00:00000000 00000000  1001        0 124 1 0000
           2: 0100007F:1F6A 0100007F:A334 01 00000000:00000000 00:00000000 00000000  1000        0 125 1 0000
           3: 0100007F:A335 0100007F:1F6A 06 00000000:00000000 00:00000000 00000000     0        0 0 3 0000
           4: 0200000A:A336 0100007F:1F6A 01 00000000:00000000 00:00000000 00000000  1002        0 126 1 0000
        """

    @Test("the client's own socket names its user, and no other does")
    func owner() {
        #expect(PeerOwner.owner(from: 0xA334, to: 0x1F6A, in: list) == 1001)
        #expect(PeerOwner.owner(from: 0x1F6A, to: 0xA334, in: list) == 1000)
        #expect(PeerOwner.owner(from: 0xA335, to: 0x1F6A, in: list) == nil)
        #expect(PeerOwner.owner(from: 0xA336, to: 0x1F6A, in: list) == nil)
        #expect(PeerOwner.owner(from: 0xA337, to: 0x1F6A, in: list) == nil)
        #expect(PeerOwner.owner(from: 0xA334, to: 0x1F6A, in: "") == nil)
    }

    @Test("a client of IPv6's that has connected to an address of IPv4's is found too")
    func mapped() {
        let list = """
              sl  local_address                         remote_address                        st tx_queue rx_queue tr tm->when retrnsmt   uid
               0: 0000000000000000FFFF00000100007F:A334 0000000000000000FFFF00000100007F:1F6A 01 00000000:00000000 00:00000000 00000000  1001
            """
        #expect(PeerOwner.owner(from: 0xA334, to: 0x1F6A, in: list) == 1001)
    }

    @Test(
        "who turns clients away rests four times as long as the turn took, and not at all if it turned nobody away"
    )
    func resting() throws {
        var turn = ServingTurn()
        #expect(turn.rest == nil && turn.mayRead)
        turn.turnedAway()
        #expect(try #require(turn.rest) >= .milliseconds(1))
        var long = ServingTurn(begin: .now - .milliseconds(30))
        #expect(long.mayRead)
        long.turnedAway()
        #expect(!long.mayRead)
        #expect(try #require(long.rest) >= .milliseconds(120))
        #expect(try #require(long.rest) <= .milliseconds(200))
    }
}
