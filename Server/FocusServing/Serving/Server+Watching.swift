import FocusCore
import FocusNet
import FocusSeal
import FocusServerCore
import FocusServerStore
import FocusSync
import SystemKit

// The changes that a running server notices by itself: operators' orders, and a clock that isn't sure.
extension Server {
    /// Returns the mailbox for requests to read the server's key and addresses again. They are read on `reader`, the
    /// reader's event loop.
    func keyLooks(in folder: DataFolder, on reader: EventLoop) -> Mailbox<StandingOrders> {
        let found = Mailbox<KeyLook>(on: loop) { [weak self] looks in
            self?.assumeIsolated { server in
                for look in looks { server.handle(look) }
            }
        }
        return Mailbox<StandingOrders>(on: reader) { orders in
            guard let orders = orders.last else { return }
            found.post(
                KeyLook(
                    orders: orders, key: Result { try ServingKey(folder) },
                    addresses: try? folder.openStore(.reading).read { try $0.addresses() }))
        }
    }

    /// The key and the addresses as they were read after these orders.
    struct KeyLook: Sendable {
        let orders: StandingOrders
        let key: Result<ServingKey, any Error>
        /// The addresses in the store; nil if they couldn't be read, which changes nothing.
        let addresses: [String]?
    }

    /// Follows new orders of the operators: requests that the key is read again, and checks the clock.
    func follow(_ orders: StandingOrders) {
        guard let serving, orders != serving.orders else { return }
        serving.orders = orders
        serving.keyLooks.post(orders)
        watchClock()
    }

    /// Uses the key that was read, if it or the announced key has changed.
    private func handle(_ look: KeyLook) {
        guard let serving else { return }
        if let addresses = look.addresses, addresses != serving.addresses {
            serving.addresses = addresses
            announceAddresses()
        }
        let switchboard = serving.switchboard
        switch look.key {
        case .failure(let error):
            log.write(
                .error, "key-unreadable",
                [
                    "error": .text(log.sentence(on: error)), "do": .remedy(.restoreKey),
                ])
        case .success(let key):
            let pin = ServerPin(key.hash, next: look.orders.nextKey)
            guard pin != switchboard.pin else { return }
            if key.hash != switchboard.pin.key {
                for listener in serving.listeners { listener.transport = .tls(key.context) }
                serving.webContext = key.webContext
                log.write(.info, "key-changed", ["key": .text(key.hash.hexadecimal)])
            }
            if let next = pin.next, next != switchboard.pin.next {
                log.write(.info, "key-announced", ["key": .text(next.hexadecimal)])
            }
            switchboard.change(to: pin)
        }
    }

    /// Announces the addresses in the store. If they name this machine's own, these are found first.
    func announceAddresses() {
        guard let serving else { return }
        serving.ownAddresses = OwnAddressList()
        if OwnAddresses.areNamed(in: serving.addresses) {
            renewOwnAddresses()
        } else {
            serving.announce(OwnAddresses.expanded(serving.addresses, limit: Limits.laptopAddresses))
        }
    }

    /// Begins to find this machine's own addresses, if the store names them. That may wait for the network,
    /// so it has a thread, and only one at a time.
    func renewOwnAddresses() {
        guard let serving, !serving.isFindingAddresses, OwnAddresses.areNamed(in: serving.addresses) else {
            return
        }
        let stored = serving.addresses
        serving.isFindingAddresses = runDetached { [loop, findHosts, weak self] in
            let found = OwnAddresses.expanded(stored, limit: Limits.laptopAddresses, by: findHosts)
            loop.run { [weak self] in self?.assumeIsolated { $0.handle(found, for: stored) } }
        }
    }

    /// Announces the addresses that were found for those in the store, if they are to be announced.
    private func handle(_ found: [String], for stored: [String]) {
        guard let serving else { return }
        serving.isFindingAddresses = false
        guard serving.addresses == stored else { return renewOwnAddresses() }
        if serving.ownAddresses.update(with: found) { serving.announce(found) }
    }

    /// Reports the state of the clock in the log, and writes the first notes for other commands.
    func reportInitialState() {
        watchClock()
        writeNotes(notes)
    }

    /// Reports if the clock has become unsure, or sure again.
    func watchClock() {
        let verdict = clock.check()
        let trouble = verdict.trouble
        guard trouble != notes.clockTrouble else { return }
        if trouble != nil, notes.clockTrouble == nil {
            log.write(.error, "clock-not-sure", ["clock": .clock(verdict), "do": .remedy(.setClock)])
        }
        if trouble == nil { log.write(.info, "clock-sure") }
        notes.clockTrouble = trouble
        writeNotes(notes)
    }

    /// Updates the note for other commands that says why nothing can be stored, if the reason has changed.
    func watchStore() {
        guard let serving else { return }
        let state = ServerState(
            storeProblem: serving.switchboard.metrics.storeProblem, store: serving.store.health)
        let sentences = state.troubles.filter(\.isAboutStore).map { $0.sentence(log) }
        let trouble = sentences.isEmpty ? nil : sentences.joined(separator: " ")
        guard trouble != notes.storeTrouble else { return }
        notes.storeTrouble = trouble
        writeNotes(notes)
    }
}

extension Server.Serving {
    /// Announces these addresses of the server, and after them its page for browsers.
    fileprivate func announce(_ addresses: [String]) {
        switchboard.announce(addresses + (page.map { [$0.text] } ?? []))
    }
}

/// The server's key, ready for TLS.
struct ServingKey: Sendable {
    let context: TLSContext
    /// The TLS for browsers, which allows TLS 1.2 too.
    let webContext: TLSContext
    let hash: Digest

    /// Loads the key in the data folder.
    ///
    /// - Throws: An error if the key is missing or can't be used.
    init(_ folder: DataFolder) throws {
        let identity = try folder.loadIdentity()
        hash = identity.keyHash
        let credentials = TLSIdentity(
            certificate: identity.certificate, privateKey: identity.privateKey.exposed())
        context = try TLSContext(
            identity: credentials, applicationProtocol: ProtocolVersion.applicationProtocol)
        webContext = try TLSContext(
            identity: credentials, applicationProtocol: ProtocolVersion.applicationProtocol,
            allowsTLS12: true)
    }
}
