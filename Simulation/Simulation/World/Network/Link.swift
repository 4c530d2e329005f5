import FocusCore
import FocusDevice
import FocusLink
import FocusNet
import FocusServerCore
import FocusServerStore
import FocusStore
import FocusSync
import SQLiteKit
import TestSupport

/// A connection between a laptop and the server.
final class Link {
    unowned let laptop: Laptop
    unowned let server: ServerMachine
    let id: ConnectionID
    /// The address to which the laptop connects. Only the server's host name leads anywhere.
    private let address: Address
    private unowned let world: World
    /// The server keys that the laptop accepts; nil if a browser accepts any. Also the key that was shown.
    private let pin: ServerPin?
    private(set) var shownKey: Digest?
    private let source: SourceID
    /// The bytes from the laptop to the server.
    private let up: Pipe
    /// The bytes from the server to the laptop.
    private let down: Pipe
    private var driver: (any LinkClient)?
    /// The life of the server in which the server accepted the connection; nil before that, and after the
    /// connection's end at the server.
    private(set) var serverLife: Int?
    private var laptopLife: Int
    /// Whether the laptop has sent anything. Its first message is the hello (`Laptop.replacingVersions`).
    private var hasSent = false
    private(set) var isPaused = false
    /// Whether the send buffer at an end was full, and that end hasn't been told that it has room again.
    private var wasFullAtServer = false
    private var wasFullAtLaptop = false
    private var isOver = false
    /// The checks of the messages that each end has sent and received.
    private var laptopConversation = LaptopConversation()
    private var serverConversation = ServerConversation()

    /// Begins to connect.
    init(
        _ laptop: Laptop, _ server: ServerMachine, at address: Address, _ pin: ServerPin?,
        for driver: any LinkClient, in world: World, seed: UInt64
    ) {
        self.laptop = laptop
        self.address = address
        self.pin = pin
        self.server = server
        self.world = world
        self.driver = driver
        id = world.nextConnection()
        source = world.source()
        laptopLife = laptop.life
        var random = SeededGenerator(seed: seed)
        let delays = { [unowned laptop] in laptop.delays }
        up = Pipe(world, world.source(), seed: random.next(), delays)
        down = Pipe(world, world.source(), seed: random.next(), delays)
        let delay = laptop.delays.next(using: &random) * 3
        connect(after: delay)
    }

    private func connect(after delay: Int64) {
        world.schedule(at: world.now + delay, by: source) { [self] in
            laptop.whenAwake { [self] in completeConnect() }
        }
    }

    /// Completes the connection, or fails if the network or the server prevents it.
    private func completeConnect() {
        guard isAlive else { return }
        guard address.host == ServerMachine.host else {
            return endAtLaptop(.broken(.network("no such host name")))
        }
        guard laptop.network.isWhole else {
            // Without a network no answer arrives, and the laptop gives up after 10 seconds.
            return world.schedule(at: world.now + .seconds(10), by: source) { [self] in
                endAtLaptop(.broken(.network("the server did not answer")))
            }
        }
        guard server.isUp else { return endAtLaptop(.broken(.network("connection refused"))) }
        guard !server.isFrozen else {
            // The kernel of a frozen server accepts the connection, but no answer follows.
            return world.schedule(at: world.now + .seconds(10), by: source) { [self] in
                endAtLaptop(.broken(.network("the server did not answer")))
            }
        }
        guard pin?.keys.contains(server.shownKey) ?? true else {
            return endAtLaptop(.otherServer("server"))
        }
        open()
    }

    /// Whether the laptop is still in the life in which it began the connection.
    private var isAlive: Bool { !isOver && laptop.life == laptopLife && laptop.isUp }

    private func open() {
        serverLife = server.life
        shownKey = server.shownKey
        up.isOpen = { [unowned self] in
            server.isUp && !server.isFrozen && !isPaused && laptop.network.passesFromLaptop
        }
        up.receive = { [unowned self] in receiveAtServer($0) }
        up.didBreak = { [unowned self] in breakAtLaptop($0) }
        down.isOpen = { [unowned self] in laptop.isAwake && laptop.network.passesToLaptop }
        down.receive = { [unowned self] in receiveAtLaptop($0) }
        down.didBreak = { [unowned self] in breakAtServer($0) }
        guard server.connected(self) else {
            serverLife = nil
            return endAtLaptop(.broken(.network("connection reset")))
        }
        laptop.connected(self)
        driver?.opened(self, byServer: server.shownKey)
    }

    /// Delivers waiting bytes in both directions, after a receiver has become ready.
    func pump() {
        up.pump()
        down.pump()
    }

    /// Breaks the connection after `count` more bytes in one direction.
    func cut(up isUp: Bool, afterBytes count: Int) { (isUp ? up : down).cut(afterBytes: count) }

    /// Releases everything that the connection holds, because the world has ended.
    func releaseReferences() {
        driver = nil
        up.abandon()
        down.abandon()
    }

    // MARK: - The server's end

    private func receiveAtServer(_ item: Pipe.Item) {
        guard serverLife == server.life else {
            // The server has restarted and doesn't know this connection.
            return breakAtLaptop("connection reset")
        }
        if wasFullAtLaptop, up.unsent <= Link.limits.resumeBelow {
            wasFullAtLaptop = false
            world.schedule(at: world.now, by: source) { [self] in
                laptop.whenAwake { [self] in
                    guard isAlive else { return }
                    driver?.drained()
                    world.restartIfStopped(laptop)
                }
            }
        }
        switch item {
        case .bytes(let bytes):
            serverConversation.recordReceived(bytes, &world.reach)
            if let host = world.host {
                host.passUp(bytes, on: self)
            } else {
                server.received(bytes, on: self)
            }
        case .end: endAtServer(nil)
        case .broken(let problem): endAtServer(problem)
        }
    }

    private func endAtServer(_ problem: String?) {
        guard serverLife == server.life else { return }
        guard !server.isFrozen else {
            return server.whenRunning { [weak self] in self?.endAtServer(problem) }
        }
        serverLife = nil
        world.host?.ended(self)
        server.disconnected(self, problem)
        up.abandon()
        if problem == nil { down.send(.end) }
    }

    private func breakAtServer(_ problem: String) {
        world.schedule(at: world.now, by: source) { [self] in endAtServer(problem) }
    }

    /// Ends the connection because the server's machine stopped. The laptop learns of it unless `silently`.
    func serverStopped(silently: Bool) {
        serverLife = nil
        world.host?.ended(self)
        up.abandon()
        if !silently { down.send(.broken("connection reset")) }
    }

    func sendFromServer(_ bytes: [UInt8]) {
        guard serverLife == server.life, server.disk.hasPower else { return }
        // A lying host delays messages and then delivers them together, so the limit of unsent bytes doesn't
        // apply.
        if let host = world.host { return host.passDown(bytes, on: self) }
        world.require(
            down.unsent <= Link.mostUnsent, "a server doesn't pile up what a slow laptop doesn't take"
        ) { "\(down.unsent) bytes for \(laptop.name)" }
        let breach = serverConversation.checkSent(bytes)
        world.require(breach == nil, "a server keeps to the protocol") { "\(breach ?? "") to \(laptop.name)" }
        deliver(bytes)
    }

    /// Delivers bytes to the laptop, from the server or the lying host between them.
    func deliver(_ bytes: [UInt8]) {
        guard isOpenAtServer else { return }
        down.send(.bytes(bytes))
        if down.unsent > Limits.unsent { wasFullAtServer = true }
    }

    /// Whether the server's last word on this device is that it is connected; nil if it has said nothing
    /// about it.
    func showsConnected(_ device: Digest) -> Bool? { serverConversation.showsConnected(device) }

    /// Whether the server has the connection open.
    var isOpenAtServer: Bool { serverLife == server.life }

    var unsentAtServer: Int { down.unsent }

    /// The most unsent bytes at the server's end. A server that is just below its limit may still send a whole
    /// batch, and an answer that it is reading already. `Limits.read` bytes are allowed for each.
    private static let mostUnsent = Limits.unsent + 2 * Limits.read

    /// The limits of real connections.
    private static let limits = ConnectionLimits()

    func pauseAtServer(_ paused: Bool) {
        isPaused = paused
        if !paused { up.pump() }
    }

    func closeAtServer() {
        guard serverLife == server.life else { return }
        down.send(.end)
        world.schedule(at: world.now, by: source) { [self] in endAtServer(nil) }
    }

    // MARK: - The laptop's end

    private func receiveAtLaptop(_ item: Pipe.Item) {
        guard isAlive else { return breakAtServer("connection reset") }
        if wasFullAtServer, down.unsent <= Link.limits.resumeBelow {
            wasFullAtServer = false
            if serverLife == server.life { server.writable(self) }
        }
        switch item {
        case .bytes(let bytes):
            laptop.browser?.runDue()
            let messages = laptopConversation.recordReceived(bytes, at: world.now, &world.reach)
            recordArrival(of: messages)
            if !messages.isEmpty { laptop.recordContinuation() }
            let before = driver?.reachedWelcome == true ? laptop.lastSeqs(ofPushed: messages) : [:]
            laptop.receiving = id
            laptop.hasCheckedSideRuns = false
            driver?.received(bytes, on: self)
            laptop.receiving = nil
            laptop.recordNote(on: id)
            if driver?.hasSettled == true { try? laptop.checkUntouchedSideRuns(since: before) }
        case .end: endAtLaptop(.closed)
        case .broken(let problem): endAtLaptop(.broken(.network(problem)))
        }
        world.restartIfStopped(laptop)
    }

    /// Records messages that have arrived and aren't processed yet.
    private func recordArrival(of messages: [Message]) {
        // Membership is read from the disk, which is slow, so it is read only if a message depends on it.
        let isLetIn =
            messages.contains { if case .enrolled = $0 { true } else { false } } && !laptop.isInGroup
        for message in messages {
            switch message {
            case .enrolled where isLetIn: laptop.recordEnrolment(on: id)
            case .welcome(let welcome): laptop.recordWelcome(welcome, on: id, isLetIn: isLetIn)
            case .error(let refusal) where refusal.code == .revoked: checkRevoked()
            default: break
            }
        }
    }

    /// Checks that a laptop refused as revoked was revoked in its own group, even if other groups list its
    /// key as revoked.
    private func checkRevoked() {
        guard world.host == nil, serverLife == server.life,
            let devices = try? server.openedToRead()?.read({ try $0.devices() })
        else { return }
        let listings = devices.filter { $0.key == laptop.key }
        let home = listings.contains(where: \.isProved) ? listings.filter(\.isProved) : listings
        world.require(
            home.isEmpty || home.contains { $0.revoked != nil },
            "who is refused as revoked was shut out of its own group"
        ) { laptop.name }
    }

    private func breakAtLaptop(_ problem: String) {
        world.schedule(at: world.now, by: source) { [self] in endAtLaptop(.broken(.network(problem))) }
    }

    private func endAtLaptop(_ end: TransportEnd) {
        guard isAlive, driver != nil else { return }
        laptop.whenAwake { [self] in endNow(end) }
    }

    private func endNow(_ end: TransportEnd) {
        guard isAlive, let driver else { return }
        self.driver = nil
        isOver = true
        laptop.disconnected(self)
        down.abandon()
        up.send(.end)
        driver.closed(self, end)
    }

    /// Ends the connection because the laptop's machine stopped. The server learns of it unless `silently`.
    func laptopStopped(silently: Bool) {
        isOver = true
        driver = nil
        down.abandon()
        if !silently { up.send(.broken("connection reset")) }
    }
}

// The driver's side of the connection.
extension Link: SyncTransport {
    var unsentBytes: Int { up.unsent }
    var peerDescription: String { address.textWithPort }

    func send(_ bytes: [UInt8]) {
        guard isAlive, driver != nil, laptop.disk.hasPower else { return }
        guard bytes.count <= Link.limits.maxUnsent - up.unsent else {
            up.send(.broken("connection reset"))
            return breakAtLaptop("the server takes too little of what is sent")
        }
        let output = hasSent ? bytes : laptop.replacingVersions(in: bytes)
        hasSent = true
        if world.host == nil {
            let breach = laptopConversation.checkSent(output, at: world.now, from: laptop.device?.store)
            world.require(breach == nil, "a laptop keeps to the protocol") {
                "\(laptop.name): \(breach ?? "")"
            }
        }
        up.send(.bytes(output))
        if up.unsent > Link.limits.fullAbove { wasFullAtLaptop = true }
    }

    func close() {
        guard isAlive, driver != nil else { return }
        up.send(.end)
        world.schedule(at: world.now, by: source) { [self] in endAtLaptop(.closed) }
    }

    func abort() {
        guard isAlive, driver != nil else { return }
        up.send(.broken("connection reset"))
        world.schedule(at: world.now, by: source) { [self] in endAtLaptop(.broken(.network("aborted"))) }
    }
}

/// The server's end of a link, as the switchboard gets it.
final class ServerEnd: ClientConnection {
    private let link: Link

    init(_ link: Link) { self.link = link }

    var id: ConnectionID { link.id }
    var unsentBytes: Int { link.unsentAtServer }
    let heldBytes = 0
    var peerDescription: String { link.laptop.name }
    var peerBlock: AddressBlock {
        AddressBlock(address: [198, 51, 100, UInt8(truncatingIfNeeded: link.laptop.index)])
    }
    var shownKey: Digest? { link.shownKey }

    func send(_ bytes: [UInt8]) { link.sendFromServer(bytes) }

    func pauseReading() { link.pauseAtServer(true) }

    func resumeReading() { link.pauseAtServer(false) }

    func close() { link.closeAtServer() }

    func close(within time: Duration) { link.closeAtServer() }

    func abort() { link.closeAtServer() }
}
