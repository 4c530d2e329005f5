import FocusCore
import FocusServerCore
import FocusSync
import TestSupport

/// An attacker that controls the server's host. It stands between the honest server and the laptops: it
/// withholds, changes, delays and forges messages, differently for each laptop. It has neither a group's nor
/// a laptop's key.
///
/// From each calm on it is honest: its operator controls it again, or everybody has moved to another server.
final class LyingHost {
    /// A lie that lasts for a while.
    struct Lie {
        let deceit: HostDeception
        /// The index of the laptop that is lied to; nil for all laptops.
        let laptop: Int?
        let end: Int64
        /// The seed of the choices that stay the same for the whole lie.
        let seed: UInt64
    }

    unowned let world: World
    unowned let server: ServerMachine
    private let source: SourceID
    var random: SeededGenerator
    private(set) var lies: [Lie] = []
    private var conversations: [ConnectionID: Conversation] = [:]
    /// The first welcome of each group, from which outdated welcomes are made.
    var oldWelcomes: [GroupID: Welcome] = [:]
    /// The server's answers to devices that it let in. Another laptop may get one of them.
    var enrolments: [Enrolled] = []
    /// The segments seen of each group. Another group may be sent them.
    var seenSegments: [GroupID: [Segment]] = [:]
    /// The epoch of the last event seen of each group.
    var epochs: [GroupID: EpochID] = [:]
    /// The epochs that it has made up. They are few, because otherwise they would use up the group's limit of
    /// epochs.
    private var invented: [EpochID] = []
    /// The stamps of events that it has made up, changed, or brought from another group. Perhaps no key opens
    /// these events.
    var forged: Set<Stamp> = []
    /// The stamps of early events that it has sent. No honest server has these events, and only some laptops
    /// do.
    private(set) var earlyStamps: Set<Stamp> = []
    /// The replicas that it has brought from one group into another.
    var transplanted: Set<ReplicaID> = []
    /// The keys of laptops that it has called revoked, though nobody had revoked them.
    private(set) var framed: Set<Digest> = []
    /// The lies told since the last calm.
    private(set) var toldLies: Set<HostDeception> = []
    /// All lies ever told.
    private(set) var everTold: Set<HostDeception> = []

    init(_ world: World, _ server: ServerMachine, seed: UInt64) {
        self.world = world
        self.server = server
        source = world.source()
        random = SeededGenerator(seed: seed)
    }

    func trace(_ what: @autoclosure () -> String) { world.trace("host", what()) }

    /// Begins to lie, to one laptop or to all.
    func begin(_ deceit: HostDeception, to laptop: Int?, for duration: Int64, seed: UInt64) {
        trace("\(deceit) to \(laptop.map { "laptop\($0)" } ?? "all") for \(duration / 1000) ms")
        random = SeededGenerator(seed: seed)
        lies.append(Lie(deceit: deceit, laptop: laptop, end: world.now + duration, seed: random.next()))
        for conversation in all where isLying(deceit, on: conversation) { begin(deceit, on: conversation) }
    }

    /// Becomes honest. The caller then restarts the server, which ends all connections.
    func mend() {
        lies = []
        toldLies = []
        conversations = [:]
    }

    /// Whether it may have claimed since the last calm to store events that it doesn't store.
    var hasClaimed: Bool {
        !toldLies.isDisjoint(with: [
            .claimsToStore, .forks, .misstatesHeads, .misstatesAcknowledgements, .refusesUploads,
            .forgesEvents, .usurpsNames, .altersEvents, .jumblesEvents,
        ])
    }

    /// Whether it has ever lied about the events of a replica.
    var hasLiedAboutEvents: Bool {
        !everTold.isDisjoint(with: [
            .misstatesHeads, .misstatesAcknowledgements, .altersEvents, .forgesEvents, .usurpsNames,
        ])
    }

    /// Records that it told a lie.
    func recordLie(_ deceit: HostDeception) {
        world.counts.lies += 1
        toldLies.insert(deceit)
        everTold.insert(deceit)
    }

    /// Sends early events to the laptops of a group.
    func send(_ segment: Segment, to group: GroupID) {
        recordLie(.forgesEvents)
        for event in segment.events { earlyStamps.insert(event.stamp) }
        for conversation in all where conversation.group == group && conversation.hasSentHave {
            say(.push(segment), on: conversation)
        }
    }

    /// Records that it called a laptop revoked.
    func recordFramed(_ key: Digest) { framed.insert(key) }

    // MARK: - Present lies

    private var all: [Conversation] { conversations.values.sorted { $0.link.id < $1.link.id } }

    /// Returns the present lie of this kind on a connection, or nil if there is none.
    func lie(_ deceit: HostDeception, on conversation: Conversation) -> Lie? {
        let laptop = conversation.link.laptop.index
        return lies.last {
            $0.deceit == deceit && $0.end > world.now && ($0.laptop ?? laptop) == laptop
        }
    }

    func isLying(_ deceit: HostDeception, on conversation: Conversation) -> Bool {
        lie(deceit, on: conversation) != nil
    }

    func randomNumber(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    /// Returns one of a few epochs that nobody made.
    func epoch() -> EpochID {
        if invented.count < LyingHost.mostEpochs { invented.append(EpochID(rawValue: random.next())) }
        return invented.randomElement(using: &random) ?? EpochID(rawValue: 1)
    }

    private static let mostEpochs = 12

    /// Whether a random draw succeeds, with a probability of 1 in `times`.
    func chance(oneIn times: Int) -> Bool { Int.random(in: 0..<times, using: &random) == 0 }

    // MARK: - Messages on their way

    /// The host's knowledge of a connection.
    final class Conversation {
        let link: Link
        fileprivate var up = FrameDecoder()
        fileprivate var down = FrameDecoder()
        /// When the last message arrives, in each direction.
        fileprivate var upDue: Int64 = 0
        fileprivate var downDue: Int64 = 0
        /// The laptop's group, once it was welcomed.
        var group: GroupID?
        /// Whether the laptop has sent its `have`. From then on the host may send it events.
        var hasSentHave = false
        /// The heads that the host has acknowledged for replicas with discarded uploads.
        var discardedHeads: [ReplicaID: Head] = [:]
        /// A segment that the host withholds to send it later; nil if there is none.
        var delayedSegment: Segment?

        init(_ link: Link) { self.link = link }
    }

    private func conversation(_ link: Link) -> Conversation {
        if let conversation = conversations[link.id] { return conversation }
        let conversation = Conversation(link)
        conversations[link.id] = conversation
        return conversation
    }

    /// Forgets a connection that is over at the server.
    func ended(_ link: Link) { conversations[link.id] = nil }

    /// Passes bytes from the server to a laptop.
    func passDown(_ bytes: [UInt8], on link: Link) {
        let conversation = conversation(link)
        conversation.down.append(bytes[...])
        while let frame = try? conversation.down.next() {
            guard let message = try? Message(frame) else { continue }
            for output in passedDown(message, on: conversation) { say(output, on: conversation) }
        }
    }

    /// Passes bytes from a laptop to the server.
    func passUp(_ bytes: [UInt8], on link: Link) {
        let conversation = conversation(link)
        conversation.up.append(bytes[...])
        while link.isOpenAtServer, let frame = try? conversation.up.next() {
            guard let message = try? Message(frame) else { continue }
            for output in passedUp(message, on: conversation) { forward(output, on: conversation) }
        }
    }

    /// Returns the delay of a message that is sent now, in microseconds.
    private func delay(on conversation: Conversation) -> Int64 {
        guard let lie = lie(.answersLate, on: conversation) else { return 0 }
        recordLie(.answersLate)
        var dice = SeededGenerator(seed: lie.seed)
        let longest: Int64 = [.seconds(1), .seconds(10), .seconds(60)].randomElement(using: &dice) ?? 0
        return Int64.random(in: 0...longest, using: &random)
    }

    /// Sends a message to a laptop. It arrives after all earlier messages.
    func say(_ message: Message, on conversation: Conversation) {
        let due = max(conversation.downDue, world.now + delay(on: conversation))
        conversation.downDue = due
        let bytes = message.encoded()
        guard due > world.now else { return conversation.link.deliver(bytes) }
        later(due, conversation) { $0.deliver(bytes) }
    }

    /// Hands a message to the server.
    private func forward(_ message: Message, on conversation: Conversation) {
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

    /// Ends a connection, after all earlier messages were sent.
    func hangUp(on conversation: Conversation) {
        world.schedule(at: world.now, by: source) { [weak conversation] in
            conversation?.link.closeAtServer()
        }
    }
}
