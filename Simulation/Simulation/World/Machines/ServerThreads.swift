import FocusCore
import FocusServerCore
import FocusServerStore
import FocusSync
import SQLiteKit
import TestSupport

/// The threads of the writer and the reader, and the mailboxes between them and the network's thread, as
/// `RunningServer` has them. Each thread reads its mailbox after a random delay. So messages from two
/// threads arrive in either order, and anything may happen in between.
final class ServerThreads: StorageQueue {
    private unowned let machine: ServerMachine
    let writer: LogWriter
    private let reader: LogReader
    private let delays: Delays
    private var isWriting = false
    private var isReading = false
    private var isRetryScheduled = false
    /// The groups that the writer was asked to follow since the last batch that was stored completely.
    private var followed: Set<GroupID> = []
    private var unanswered = UnansweredUploads()
    private var groups: GroupsCheck
    private lazy var writes: LateMailbox<WriterRequest> = mailbox(delays.writes) {
        [unowned self] requests in receive(requests)
    }
    private lazy var reads: LateMailbox<ReaderRequest> = mailbox(delays.reads) {
        [unowned self] requests in receive(requests)
    }
    private lazy var outcomes: LateMailbox<CommitOutcome> = mailbox(delays.outcomes) {
        [unowned self] commits in for commit in commits { deliver(commit) }
    }
    private lazy var answers: LateMailbox<ReaderAnswer> = mailbox(delays.answers) {
        [unowned self] answers in machine.process(answers)
    }

    /// The longest delay with which a thread reads its mailbox, in microseconds.
    static let longestDelay: Int64 = 40_000

    /// The longest delays of each mailbox and of turns in this life of the server, in microseconds. One
    /// thread may always be late and another never.
    private struct Delays {
        let writes, reads, outcomes, answers, turns: Int64
        /// The longest time that the reader takes for a slice, because its disk may be slow.
        let slice: Int64

        private static let all: [Int64] = [0, 0, 0, 200, 3_000, ServerThreads.longestDelay]

        init(_ machine: ServerMachine) {
            func one() -> Int64 { Delays.all[Int(machine.random(0...Int64(Delays.all.count - 1)))] }
            writes = max(200, one())
            reads = one()
            outcomes = one()
            answers = one()
            turns = one()
            slice = [500, 500, 20_000][Int(machine.random(0...2))]
        }
    }

    init(_ machine: ServerMachine, _ writer: LogWriter, _ reader: LogReader) {
        self.machine = machine
        self.writer = writer
        self.reader = reader
        delays = Delays(machine)
        groups = GroupsCheck(
            CheckedStore(on: machine.disk), mayBeFull: !machine.world.hostile.isEmpty)
    }

    /// The delay before the network's thread takes its next turn, in microseconds.
    var turnDelay: Int64 { randomDelay(delays.turns) ?? 0 }

    private func mailbox<Message>(
        _ latest: Int64, _ receive: @escaping ([Message]) -> Void
    ) -> LateMailbox<Message> {
        LateMailbox(
            after: { [unowned machine] in machine.after($0, $1) },
            delay: { [unowned self] in randomDelay(latest) }, receive: receive)
    }

    /// Returns a random delay up to `latest`, mostly a short one; nil if there is no delay.
    private func randomDelay(_ latest: Int64) -> Int64? {
        guard latest > 0 else { return nil }
        return machine.random(0...(machine.random(0...7) == 0 ? latest : min(latest, 200)))
    }

    // MARK: - The writer's thread

    func write(_ request: WriterRequest) {
        unanswered.record(request, at: machine.world.now, deleted: machine.deleted)
        writes.post(request)
    }

    /// Passes news of other servers to the writer.
    func post(_ request: WriterRequest) { writes.post(request) }

    private func receive(_ requests: [WriterRequest]) {
        for request in requests {
            // Requests in a deleted group are never answered.
            if request.place.map({ machine.deleted.contains($0.group) }) != true { groups.record(request) }
            if case .shared(.follow(let group, _)) = request {
                if writer.isBehind(group) { machine.database?.reach("read as somebody came") }
                followed.insert(group)
            }
        }
        writer.add(requests)
        if !isWriting { writeBatch() }
    }

    private func writeBatch() {
        isWriting = true
        let wall = machine.clock.shared
        groups.beginBatch(memory: machine.database.map { _ in writer.groups })
        let outcome = writer.commitBatch()
        if machine.disk.hasPower {
            checkGroups(outcome, at: wall)
            checkFollowed(outcome)
        }
        machine.after(machine.random(50...machine.commitTime)) { [self] in
            outcomes.post(outcome)
            isWriting = false
            if !writer.isIdle { writeBatch() } else { retry() }
        }
    }

    /// Tries again after a second if changes by other servers couldn't be read (`Writer`).
    private func retry() {
        guard writer.lacksNews, !isRetryScheduled else { return }
        isRetryScheduled = true
        machine.after(.seconds(1)) { [self] in
            isRetryScheduled = false
            if writer.lacksNews { receive([.shared(.news(StoreNews(), for: nil))]) }
        }
    }

    /// Checks a batch's outcome. Then has the network's thread process it.
    private func deliver(_ commit: CommitOutcome) {
        guard machine.disk.hasPower else { return }
        let world = machine.world
        unanswered.recordAnswers(commit.answers, at: world.now)
        machine.record(commit)
        let early = unanswered.firstEarly(commit.answers, stored: machine.promisedHeads)
        world.require(early == nil, "what a server acknowledges it has committed") { early ?? "" }
        machine.process(commit)
    }

    // MARK: - The reader's thread

    func read(_ request: ReaderRequest) { reads.post(request) }

    private func receive(_ requests: [ReaderRequest]) {
        for request in requests { reader.handle(request) }
        if !isReading { readSlice() }
    }

    private func readSlice() {
        isReading = !reader.isIdle
        guard isReading else { return }
        machine.after(machine.random(20...delays.slice)) { [self] in
            if let answer = reader.work() { answers.post(answer) }
            readSlice()
        }
    }

    // MARK: - Checks

    private func checkGroups(_ commit: CommitOutcome, at wall: SharedInstant) {
        let trouble = groups.check(commit, at: machine.wasClockEverWrong ? nil : wall)
        machine.world.require(
            trouble == nil, "a group's log and epochs are as the protocol says"
        ) { trouble ?? "" }
    }

    /// Checks that the server has read all events that other servers are known to have stored in a group
    /// before it welcomes a member of that group.
    private func checkFollowed(_ commit: CommitOutcome) {
        guard commit.tally.isComplete else { return }
        let behind = followed.filter { writer.follows($0) && writer.isBehind($0) }
        machine.world.require(
            behind.isEmpty, "other servers' events are read before a group's first member is welcomed"
        ) { "\(behind.count) groups" }
        followed = []
    }

    /// Forgets a group that the operator deleted.
    func forget(_ group: GroupID) {
        unanswered.forget(group)
        groups.forget(group)
    }

    /// Checks that no upload waits longer than 60 seconds for an answer.
    func checkAnswered() {
        machine.world.require(
            machine.world.now - machine.thawedAt < .seconds(60)
                || unanswered.isAnswered(within: .seconds(60), at: machine.world.now),
            "each upload is answered within 60 seconds"
        ) { "" }
    }

    /// Checks that a server that stops has answered each accepted upload.
    func checkDrained() {
        machine.world.require(
            unanswered.isDrained, "a server that stops has answered all that it had accepted"
        ) { "" }
    }
}
