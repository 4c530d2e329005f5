import FocusCore
import FocusSync
import TestTraits
import Testing

@testable import Simulation

@Suite("The numbers of requests, held against the protocol", .ends(within: .seconds(60)))
struct RequestNumberTests {
    private let hello = Message.hello(Hello(versions: [.one], purpose: .sync, sent: .zero, program: "focus"))
    private let welcome = Message.welcome(
        Welcome(
            group: GroupID(high: 0, low: 1), vector: VersionVector(), latest: .zero, roster: [], epochs: [],
            presence: [], nextServerKey: nil))

    /// Returns a digest that begins with this number.
    private func key(_ number: UInt8) -> Digest {
        var bytes = InlineArray<32, UInt8>(repeating: 0)
        bytes[0] = number
        return Digest(bytes)
    }

    /// Returns a request with this number.
    private func request(_ number: UInt64) -> Message {
        .request(RequestNumber(number), .revoke(key(UInt8(truncatingIfNeeded: number))))
    }

    /// Returns the breach of a client that sends these messages after the welcome; nil if there is none.
    ///
    /// - Parameter announcements: The messages that the client receives before these.
    private func breach(ofClientSending messages: [Message], after announcements: [Message] = []) -> String? {
        var client = ClientConformance()
        _ = client.checkSent(hello, at: 0, log: { _ in 0 })
        for message in [welcome] + announcements { client.recordReceived(message, at: 0) }
        for message in [Message.have(Have())] + messages {
            if let breach = client.checkSent(message, at: 0, log: { _ in 0 }) { return breach }
        }
        return nil
    }

    /// Returns the breach of a server that gets the requests 1 and 2, and then sends these messages; nil if
    /// there is none.
    private func breach(ofServerSending messages: [Message]) -> String? {
        var server = ServerConformance()
        server.recordReceived(hello)
        let clock = ClockAnswer(asked: .zero, served: nil)
        _ = server.checkSent(
            .greeting(Greeting(versions: [.one], chosen: .one, clock: clock, program: "focusd")))
        _ = server.checkSent(welcome)
        for message in [Message.have(Have()), request(1), request(2)] { server.recordReceived(message) }
        for message in messages {
            if let breach = server.checkSent(message) { return breach }
        }
        return nil
    }

    @Test("a client counts its requests from 1 on") func counting() {
        #expect(breach(ofClientSending: [request(1), request(2), request(3)]) == nil)
        #expect(breach(ofClientSending: [request(0)]) != nil)
        #expect(breach(ofClientSending: [request(2)]) != nil)
        #expect(breach(ofClientSending: [request(1), request(1)]) != nil)
        #expect(breach(ofClientSending: [request(1), request(3)]) != nil)
    }

    @Test("a client lists at most 64 devices in one request") func rosters() {
        let roster = (0..<65).map { RosterEntry(device: key($0), isRevoked: false) }
        #expect(
            breach(ofClientSending: [
                .request(RequestNumber(1), .roster(Array(roster.dropLast()))),
                .request(RequestNumber(2), .roster(Array(roster.suffix(1)))),
            ]) == nil)
        #expect(breach(ofClientSending: [.request(RequestNumber(1), .roster(roster))]) != nil)
    }

    /// A commit with a lost answer may be found after a welcome that lacks it. Then it is announced while the
    /// client is about to send the same.
    @Test("a client goes by the welcome, though the server has announced since what it lacked")
    func announced() {
        let roster = GroupRequest.roster([RosterEntry(device: key(1), isRevoked: true)])
        let record = EpochRecord(epoch: EpochID(rawValue: 1), predecessor: nil, body: [1])
        let requests: [Message] = [
            .request(RequestNumber(1), roster), .request(RequestNumber(2), .epoch(record)),
        ]
        #expect(breach(ofClientSending: requests, after: [.revoked(key(1)), .epoch(record)]) == nil)
        #expect(breach(ofClientSending: requests + [.request(RequestNumber(3), roster)]) != nil)
        #expect(breach(ofClientSending: requests + [.request(RequestNumber(3), .epoch(record))]) != nil)
    }

    @Test("a server answers each request once, in order, and nothing else") func answers() {
        let (first, second) = (RequestNumber(1), RequestNumber(2))
        let refused = Message.refused(second, Refusal(.notAllowed, ""))
        #expect(breach(ofServerSending: [.done(first), refused]) == nil)
        #expect(breach(ofServerSending: [.done(first), .done(first)]) != nil)
        #expect(breach(ofServerSending: [refused, .done(first)]) != nil)
        #expect(breach(ofServerSending: [.done(first), refused, refused]) != nil)
        #expect(breach(ofServerSending: [.done(RequestNumber(3))]) != nil)
    }
}
