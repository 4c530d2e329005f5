package import FocusCore
import FocusDevice
package import FocusLink
package import FocusServerCore
import FocusServerStore
import FocusSync
package import SQLiteKit
import TestSupport

/// A server with three threads that are programs of an `Interleaver`: the network's, the writer's and the
/// reader's. They pass requests and results through mailboxes, as in the real server. They take turns at each
/// call of the disk's file system.
package final class InterleavedServer {
    /// The hash of the server's public key.
    package let key: Digest
    /// The loop of the network's thread.
    let network: ProgramLoop
    private let interleaver: Interleaver
    private let disk: VirtualDisk
    private let clock: ServerClock
    private let writer: LogWriter
    private let reader: LogReader
    private let writing: ProgramLoop
    private let reading: ProgramLoop
    private var isWriting = false
    private var isReading = false
    private var switchboard: Switchboard?
    private var random: SeededGenerator
    private var unanswered = UnansweredUploads()
    private var commitOrder = CommitOrderCheck()
    /// Whether the switchboard is handling answers of the reader. It then pushes events from the store,
    /// perhaps before their commit is reported.
    private var isHandlingReaderAnswers = false
    private var links: [ConnectionID: InterleavedLink] = [:]
    private var connections: ConnectionID = 0
    /// The devices that can't reach it.
    private var cutOff: Set<Digest> = []
    /// Whether it has shut down after it was told to stop.
    package private(set) var hasEnded = false
    /// The broken rules, in words.
    package private(set) var breaches: [String] = []
    /// The number of acknowledged uploads.
    package private(set) var acknowledgements = 0

    private lazy var writes = mailbox(writing) { [unowned self] (requests: [WriterRequest]) in
        writer.add(requests)
        if !isWriting { write() }
    }
    private lazy var reads = mailbox(reading) { [unowned self] (requests: [ReaderRequest]) in
        for request in requests { reader.handle(request) }
        if !isReading { read() }
    }
    private lazy var outcomes = mailbox(network) { [unowned self] (commits: [CommitOutcome]) in
        for commit in commits { deliver(commit) }
    }
    private lazy var answers = mailbox(network) { [unowned self] (answers: [ReaderAnswer]) in
        isHandlingReaderAnswers = true
        switchboard?.handle(answers)
        isHandlingReaderAnswers = false
    }

    /// The path of the store on the server's disk.
    package static let path = "/focusd.db"

    /// Creates a server with the store on `disk`. It serves when its threads run.
    ///
    /// - Parameter disk: One of the interleaver's other disks.
    package init(_ interleaver: Interleaver, on disk: VirtualDisk, key: Digest, seed: UInt64) throws {
        self.interleaver = interleaver
        self.disk = disk
        self.key = key
        random = SeededGenerator(seed: seed)
        network = ProgramLoop(interleaver)
        writing = ProgramLoop(interleaver)
        reading = ProgramLoop(interleaver)
        let store = try SQLiteServerStore(
            at: InterleavedServer.path, on: .virtual(disk), access: .readWriteCreate)
        let clocks = interleaver.otherClocks
        let (served, orders, devices) = try store.read {
            (try $0.greatestServed(), try $0.orders(), try $0.devices())
        }
        clock = ServerClock(
            greatestServed: served, wall: { SharedReading(clocks.wall()) },
            steady: { clocks.sinceBoot() })
        var limits = ServerLimits()
        limits.enrolmentsPerMinute = 1_000_000
        writer = try LogWriter(store, clock: clock, limits: limits, log: .silent)
        reader = LogReader(
            try SQLiteServerStore(at: InterleavedServer.path, on: .virtual(disk), access: .readOnly),
            log: .silent)
        switchboard = Switchboard(
            self, groups: writer.groups, devices: devices, orders: orders,
            pin: ServerPin(key, next: orders.nextKey), clock: clock, limits: limits, log: .silent,
            whenTurnsWait: { [unowned self] in
                network.post(after: randomDelay()) { [unowned self] in switchboard?.takeTurns() }
            },
            whenStopped: { [unowned self] in
                require(unanswered.isDrained, "it stopped before it had answered all that it had accepted")
                hasEnded = true
            })
        every(2_000_000) { $0.refresh() }
        every(1_000_000) { [unowned self] in
            $0.tick()
            require(
                unanswered.isAnswered(within: 60_000_000, at: interleaver.now),
                "it left an upload unanswered")
        }
        every(30_000_000) { $0.storeSightings() }
    }

    /// Adds the server's three threads to the programs of the next run. They run until all other programs
    /// have ended.
    package func addThreads() {
        for loop in [network, writing, reading] {
            interleaver.add(as: .service) { [unowned interleaver] in
                loop.run(for: .max / 4) { interleaver.isDeserted }
            }
        }
    }

    /// Releases everything, because pending events hold references to the server.
    package func releaseReferences() {
        for link in links.values { link.releaseReferences() }
        links = [:]
        switchboard = nil
        for loop in [network, writing, reading] { loop.clear() }
    }

    // MARK: - Actions of people

    /// Tells the server to stop.
    package func stop() { network.post { [unowned self] in switchboard?.stop() } }

    /// Cuts off a device: its connections break, and it can't connect. If `isCutOff` is false, lets it
    /// connect again.
    package func cutOff(_ device: Digest, _ isCutOff: Bool) {
        guard isCutOff else {
            cutOff.remove(device)
            return
        }
        cutOff.insert(device)
        for link in links.sorted(by: { $0.key < $1.key }).map(\.value) where link.device == device {
            link.breakConnection()
        }
    }

    /// Whether a device can reach the server.
    func isReachable(by device: Digest) -> Bool { !cutOff.contains(device) }

    /// Makes an invite to bring a group, as the operator does.
    ///
    /// - Parameter token: The hash of the invite's token.
    package func addInvite(_ token: Digest) throws {
        let store = try SQLiteServerStore(
            at: InterleavedServer.path, on: .virtual(disk), access: .readWrite)
        let expires = interleaver.otherClocks.wall() + .seconds(15 * 60)
        try store.write { try $0.addInvite(token, group: nil, bundle: nil, expires: expires, by: nil) }
    }

    /// The heads that the server has of a group's log.
    package func vector(of group: GroupID) -> VersionVector {
        writer.groups[group]?.vector ?? VersionVector()
    }

    // MARK: - Threads

    /// Returns the random delay before a thread reads its mailbox, in microseconds. It is mostly short.
    func randomDelay() -> Int64 {
        let latest: Int64 = Int.random(in: 0..<8, using: &random) == 0 ? 40_000 : 200
        return .random(in: 0...latest, using: &random)
    }

    private func mailbox<Message>(
        _ loop: ProgramLoop, _ receive: @escaping ([Message]) -> Void
    ) -> LateMailbox<Message> {
        LateMailbox(
            after: { loop.post(after: $0, $1) }, delay: { [unowned self] in randomDelay() }, receive: receive)
    }

    private func every(_ period: Int64, _ body: @escaping (Switchboard) -> Void) {
        network.post(after: period) { [weak self] in
            guard let self, let switchboard else { return }
            body(switchboard)
            every(period, body)
        }
    }

    private func write() {
        isWriting = true
        outcomes.post(writer.commitBatch())
        guard !writer.isIdle else { return isWriting = false }
        writing.post { [unowned self] in write() }
    }

    private func read() {
        isReading = true
        if let answer = reader.work() { answers.post(answer) }
        guard !reader.isIdle else { return isReading = false }
        reading.post { [unowned self] in read() }
    }

    /// Passes the result of a batch to the network's thread.
    private func deliver(_ commit: CommitOutcome) {
        acknowledgements += commit.answers.count { if case .merged = $0 { true } else { false } }
        checkStored(commit.answers)
        unanswered.recordAnswers(commit.answers, at: interleaver.now)
        switchboard?.handle(commit)
    }

    /// Checks that acknowledged events are in the store. The check reads the store as another process would.
    private func checkStored(_ answers: [WriterOutcome]) {
        guard answers.contains(where: { if case .merged = $0 { true } else { false } }) else { return }
        // The check itself is no program, so its calls of the file system aren't turns.
        let whenCalled = disk.whenCalled
        disk.whenCalled = nil
        defer { disk.whenCalled = whenCalled }
        // Another thread may hold a lock, and has no turn to release it. Then nothing is checked.
        guard
            let stored = try? LogWriter(
                SQLiteServerStore(at: InterleavedServer.path, on: .virtual(disk), access: .readOnly),
                clock: clock,
                limits: ServerLimits(), log: .silent)
        else { return }
        let uncommitted = unanswered.firstEarly(answers) { stored.groups[$0]?.vector.heads }
        require(uncommitted == nil, "it acknowledged what it hadn't committed: \(uncommitted ?? "")")
    }

    private func require(_ holds: Bool, _ breach: @autoclosure () -> String) {
        if !holds { breaches.append(breach()) }
    }
}

extension InterleavedServer: StorageQueue {
    package func write(_ request: WriterRequest) {
        unanswered.record(request, at: interleaver.now, deleted: [])
        writes.post(request)
    }

    package func read(_ request: ReaderRequest) { reads.post(request) }
}

// MARK: - Connections

extension InterleavedServer {
    /// Returns a route to this server for a program on `loop` with this device key.
    ///
    /// - Parameter program: The program that owns the connections. They end if it is killed.
    package func route(
        from loop: ProgramLoop, of program: InterleavedProgram?, as device: Digest
    ) -> Route {
        { [unowned self] driver in
            connections += 1
            let link = InterleavedLink(connections, self, driver, loop, of: program, as: device)
            links[connections] = link
            link.connect()
            return link
        }
    }

    func opened(_ link: InterleavedLink) { switchboard?.opened(link.serverEnd, link.device) }

    func received(_ bytes: [UInt8], on link: InterleavedLink) {
        for case .upload(let segment) in link.received.readUntilInvalid(bytes) {
            guard let group = link.group else { continue }
            commitOrder.recordUpload(segment, of: group, on: link.id)
        }
        switchboard?.received(bytes, on: link.id)
    }

    /// Checks bytes that the server sends: it must tell the uploader of a commit before it tells others.
    func checkSent(_ bytes: [UInt8], on link: InterleavedLink) {
        for message in link.sent.readUntilInvalid(bytes) {
            switch message {
            case .welcome(let welcome): link.group = welcome.group
            case .ack(let ack): commitOrder.recordAck(ack, on: link.id)
            case .push(let segment):
                guard let group = link.group, !isHandlingReaderAnswers else { continue }
                let pushedFirst = commitOrder.early(segment, of: group)
                require(
                    pushedFirst == nil,
                    "it told others of \(pushedFirst.map { "\($0)" } ?? "") before its uploader")
            default: break
            }
        }
    }

    /// Records that the server itself ended the connection.
    func ended(_ link: InterleavedLink) { commitOrder.recordEnd(of: link.id) }

    func closed(_ link: InterleavedLink, _ problem: String?) {
        commitOrder.recordEnd(of: link.id)
        guard links.removeValue(forKey: link.id) != nil else { return }
        switchboard?.closed(link.serverEnd, problem)
    }

    /// Ends the connections of a program that was killed.
    package func ended(_ program: InterleavedProgram) {
        for link in links.sorted(by: { $0.key < $1.key }).map(\.value) where link.program === program {
            link.programEnded()
        }
    }
}
