import FocusCore
import FocusSync
import TestSupport
import Testing

@Suite("Two sides of different versions")
struct NegotiationTests {
    private func versions(_ numbers: [UInt16]) -> [ProtocolVersion] { numbers.map(ProtocolVersion.init) }

    /// Returns the first message of today's server after a hello with these versions.
    private func answer(_ numbers: [UInt16]) throws -> Message? {
        let now = ServerTime(steady: 0, shared: 5)
        var session = ServerSession(device: digest(1), standing: .member(group), program: "focusd", now: now)
        let hello = Hello(versions: versions(numbers), purpose: .sync, sent: 1, program: "focus")
        for effect in session.received(Message.hello(hello).encoded()[...], at: now) {
            if case .send(let bytes) = effect { return try message(bytes).first }
        }
        return nil
    }

    @Test(
        "the server chooses a version that it speaks, whatever else the laptop speaks",
        arguments: [
            [1], [1, 2], [0, 1], [0, 1, 7, 65_535],
        ] as [[UInt16]])
    func common(numbers: [UInt16]) throws {
        guard case .greeting(let greeting) = try answer(numbers) else {
            Issue.record("no greeting")
            return
        }
        #expect(greeting.chosen == .one)
        #expect(greeting.versions == ProtocolVersion.spoken)
    }

    @Test("of several versions in common the greatest is chosen")
    func greatest() {
        let (one, two) = (versions([1]), versions([1, 2]))
        #expect(ProtocolVersion.common(two, two) == two[1])
        #expect(ProtocolVersion.common(one, two) == one[0])
    }

    @Test(
        "with none in common the server says which it speaks, and ends",
        arguments: [
            [2], [0], [], [3, 65_535],
        ] as [[UInt16]])
    func none(numbers: [UInt16]) throws {
        guard case .error(let refusal) = try answer(numbers) else {
            Issue.record("no error")
            return
        }
        #expect(refusal.code == .version)
        #expect(refusal.versions == ProtocolVersion.spoken)
        #expect(refusal.retry == .never)
    }

    /// Returns the reason for which today's laptop closes after this answer to its hello; nil if it doesn't
    /// close.
    private func end(_ answer: Message) throws -> ClientCloseReason? {
        let log = LocalLog(group: group, vector: VersionVector())
        var session = ClientSession(
            .sync(log), clock: ClockEstimate(offset: .zero), program: "focus", now: 0)
        _ = session.opened(0)
        for effect in session.received(answer.encoded()[...], at: 1) {
            if case .close(let closing) = effect { return closing }
        }
        return nil
    }

    @Test(
        "the laptop knows which side is to be upgraded",
        arguments: [
            ([2], .client), ([2, 3], .client), ([0], .server), ([], .server),
        ] as [([UInt16], VersionMismatch.Side)])
    func refused(numbers: [UInt16], side: VersionMismatch.Side) throws {
        let refusal = Refusal(.version, "no protocol version in common", versions: versions(numbers))
        guard case .version(let mismatch) = try end(.error(refusal)) else {
            Issue.record("it didn't end for the version")
            return
        }
        #expect(mismatch.upgrade == side)
        #expect(mismatch.client == ProtocolVersion.spoken)
        #expect(mismatch.server == versions(numbers))
    }

    @Test("a server that chooses what the laptop doesn't speak is not gone on with")
    func wrongChoice() throws {
        let answer = ClockAnswer(asked: 0, served: .init(received: 5, sent: 5))
        for number: UInt16 in [0, 2] {
            let greeting = Greeting(
                versions: versions([min(1, number), max(1, number)]),
                chosen: ProtocolVersion(rawValue: number), clock: answer,
                program: "focusd")
            #expect(try end(.greeting(greeting)) == .malformed(.unexpected(.greeting)))
        }
    }
}
