import FocusCore
import FocusSync
import FocusWriter
import TestSupport

/// Whoever has the server's host in hand and means harm: between the server, which is honest, and the laptops it
/// withholds, alters, delays and makes up what is said, and it shows each laptop what it likes. It has no key of the
/// group's, and none of a laptop's.
///
/// From a calm on it is honest: its operator has got it back, or everybody has gone to another one.
final class LyingHost {
    /// A lie that goes on.
    struct Lie {
        let deceit: Deceit
        /// Whom it is told to; nil for all.
        let laptop: Int?
        let end: Int64
        /// What is decided for all of it.
        let seed: UInt64
    }

    unowned let world: World
    unowned let server: ServerMachine
    private let source: SourceID
    var random: SeededGenerator
    private(set) var lies: [Lie] = []
    private var conversations: [ConnectionID: Conversation] = [:]
    /// The first thing that the server said of each group, from which copies of long ago are told.
    var oldWelcomes: [GroupID: Welcome] = [:]
    /// What the server said to those that it let in: another laptop may be told that.
    var enrolments: [Enrolled] = []
    /// What it has seen of each group's events: another group may be given them.
    var seen: [GroupID: [Segment]] = [:]
    /// The newest epoch that it has seen an event of, of each group.
    var epochs: [GroupID: EpochID] = [:]
    /// The epochs that it has made up. There are few: as many as it likes would fill what its group may have.
    private var madeUp: [EpochID] = []
    /// The stamps of events that it has made up, changed, or brought from elsewhere: no key may open them.
    var forged: Set<Stamp> = []
    /// The stamps of what it has sent that lies ahead: no honest server has that, and not every laptop.
    private(set) var ahead: Set<Stamp> = []
    /// The replicas that it has brought from one group into another.
    var transplanted: Set<ReplicaID> = []
    /// The keys of laptops that it has called revoked, though nobody had shut them out.
    private(set) var framed: Set<Digest> = []
    /// What it did since the last calm.
    private(set) var done: Set<Deceit> = []
    /// What it ever did.
    private(set) var everDone: Set<Deceit> = []

    init(_ world: World, _ server: ServerMachine, seed: UInt64) {
        self.world = world
        self.server = server
        source = world.source()
        random = SeededGenerator(seed: seed)
    }

    func trace(_ what: @autoclosure () -> String) { world.trace("host", what()) }

    /// Begins to lie, to a laptop or to all.
    func begin(_ deceit: Deceit, to laptop: Int?, for duration: Int64, seed: UInt64) {
        trace("\(deceit) to \(laptop.map { "laptop\($0)" } ?? "all") for \(duration / 1000) ms")
        random = SeededGenerator(seed: seed)
        lies.append(Lie(deceit: deceit, laptop: laptop, end: world.now + duration, seed: random.next()))
        for conversation in all where isTold(conversation, deceit) { begin(deceit, on: conversation) }
    }

    /// Is honest from now on.
    func mend() {
        lies = []
        done = []
        conversations = [:]
    }

    /// Whether it has said since the last calm that it stores what it doesn't, or may have.
    var hasClaimed: Bool {
        !done.isDisjoint(with: [
            .claimsToStore, .forks, .misstatesHeads, .misstatesAcknowledgements, .refusesUploads,
            .forgesEvents, .usurpsNames, .altersEvents, .jumblesEvents,
        ])
    }

    /// Whether it has ever lied about what stands under a name.
    var hasLiedAboutNames: Bool {
        !everDone.isDisjoint(with: [
            .misstatesHeads, .misstatesAcknowledgements, .altersEvents, .forgesEvents, .usurpsNames,
        ])
    }

    /// Notes that it did something.
    func note(_ deceit: Deceit) {
        world.counts.lies += 1
        done.insert(deceit)
        everDone.insert(deceit)
    }

    /// Sends the laptops of a group events that lie ahead.
    func send(_ segment: Segment, to group: GroupID) {
        note(.forgesEvents)
        for event in segment.events { ahead.insert(event.stamp) }
        for conversation in all where conversation.group == group && conversation.isGiven {
            say(.push(segment), on: conversation)
        }
    }

    /// Says of a laptop that it is shut out.
    func frame(_ key: Digest) { framed.insert(key) }

    // MARK: - Which lies are told

    private var all: [Conversation] { conversations.values.sorted { $0.link.id < $1.link.id } }

    /// The lie of this kind that is told on a connection now; nil where none is.
    func lie(_ deceit: Deceit, on conversation: Conversation) -> Lie? {
        let laptop = conversation.link.laptop.index
        return lies.last {
            $0.deceit == deceit && $0.end > world.now && ($0.laptop ?? laptop) == laptop
        }
    }

    func isTold(_ conversation: Conversation, _ deceit: Deceit) -> Bool {
        lie(deceit, on: conversation) != nil
    }

    func count(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    /// An epoch that nobody made.
    func epoch() -> EpochID {
        if madeUp.count < LyingHost.mostEpochs { madeUp.append(EpochID(rawValue: random.next())) }
        return madeUp.randomElement(using: &random) ?? EpochID(rawValue: 1)
    }

    private static let mostEpochs = 12

    /// Once in so many times.
    func isOnce(in times: Int) -> Bool { Int.random(in: 0..<times, using: &random) == 0 }

    func digest() -> Digest {
        Digest(bytes: random.bytes(Digest.length)) ?? Digest(InlineArray(repeating: 1))
    }

    // MARK: - What passes

    /// What it knows of a connection.
    final class Conversation {
        let link: Link
        fileprivate var up = FrameDecoder()
        fileprivate var down = FrameDecoder()
        /// When what was said last arrives, in each direction.
        fileprivate var upDue: Int64 = 0
        fileprivate var downDue: Int64 = 0
        /// The laptop's group, once it was welcomed.
        var group: GroupID?
        /// Whether the laptop has said what it has: from here on it may be sent events.
        var isGiven = false
        /// The replicas whose uploads go nowhere, and how far it has said that it has them.
        var swallowed: [ReplicaID: Head] = [:]
        /// An event that it sends later than it should.
        var late: Segment?

        init(_ link: Link) { self.link = link }
    }

    private func conversation(_ link: Link) -> Conversation {
        if let conversation = conversations[link.id] { return conversation }
        let conversation = Conversation(link)
        conversations[link.id] = conversation
        return conversation
    }

    /// The connection is over at the server.
    func ended(_ link: Link) { conversations[link.id] = nil }

    /// The server says something to a laptop.
    func passDown(_ bytes: [UInt8], on link: Link) {
        let conversation = conversation(link)
        conversation.down.append(bytes[...])
        while let frame = try? conversation.down.next() {
            guard let message = try? Message(frame) else { continue }
            for said in told(message, on: conversation) { say(said, on: conversation) }
        }
    }

    /// A laptop says something to the server.
    func passUp(_ bytes: [UInt8], on link: Link) {
        let conversation = conversation(link)
        conversation.up.append(bytes[...])
        while link.isOpenAtServer, let frame = try? conversation.up.next() {
            guard let message = try? Message(frame) else { continue }
            for heard in heard(message, on: conversation) { hand(heard, on: conversation) }
        }
    }

    /// How late something arrives that is said now.
    private func delay(on conversation: Conversation) -> Int64 {
        guard let lie = lie(.answersLate, on: conversation) else { return 0 }
        note(.answersLate)
        var dice = SeededGenerator(seed: lie.seed)
        let longest: Int64 = [.seconds(1), .seconds(10), .seconds(60)].randomElement(using: &dice) ?? 0
        return Int64.random(in: 0...longest, using: &random)
    }

    /// Says something to a laptop, after all that it has said.
    func say(_ message: Message, on conversation: Conversation) {
        let due = max(conversation.downDue, world.now + delay(on: conversation))
        conversation.downDue = due
        let bytes = message.encoded()
        guard due > world.now else { return conversation.link.deliver(bytes) }
        later(due, conversation) { $0.deliver(bytes) }
    }

    /// Hands something to the server.
    private func hand(_ message: Message, on conversation: Conversation) {
        let due = max(conversation.upDue, world.now + delay(on: conversation))
        conversation.upDue = due
        let bytes = message.encoded()
        guard due > world.now else { return server.received(bytes, on: conversation.link) }
        later(due, conversation) { [unowned self] in server.received(bytes, on: $0) }
    }

    private func later(_ due: Int64, _ conversation: Conversation, _ body: @escaping (Link) -> Void) {
        world.schedule(at: due, by: source) { [weak self, weak conversation] in
            guard let self, let conversation, conversations[conversation.link.id] === conversation,
                conversation.link.isOpenAtServer
            else { return }
            body(conversation.link)
        }
    }

    /// Ends a connection, once all that was said before has been sent.
    func hangUp(on conversation: Conversation) {
        world.schedule(at: world.now, by: source) { [weak conversation] in
            conversation?.link.closeAtServer()
        }
    }
}
