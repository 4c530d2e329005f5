import FocusServing

// A server that stands still for a while, as one does whose virtual machine is moved: nothing of it runs, its connections
// stand, and it comes back with what it knew then.
extension ServerMachine {
    /// Has it do something in this life, at once or as soon as it runs again.
    func onceAwake(in life: Int, _ body: @escaping () -> Void) {
        guard self.life == life else { return }
        guard postponed == nil else {
            postponed?.append { [weak self] in self?.onceAwake(in: life, body) }
            return
        }
        body()
    }

    /// Has it do something at once, or as soon as it runs again.
    func onceAwake(_ body: @escaping () -> Void) { onceAwake(in: life, body) }

    /// Whether nothing of it runs, though it is there.
    var isFrozen: Bool { postponed != nil }

    /// Nothing of it runs for so long; its connections stand.
    func freeze(for duration: Int64) {
        guard isUp, !isFrozen, running?.watch.isStopping == false else { return }
        trace("stands still")
        postponed = []
        let life = life
        world.schedule(at: world.now + duration, by: source) { [weak self] in
            guard let self, self.life == life else { return }
            thaw()
        }
    }

    /// It goes on, with what it knew then.
    func thaw() {
        guard let work = postponed else { return }
        trace("goes on")
        database?.reach("went on after it stood still")
        database?.noteTrouble(of: index)
        postponed = nil
        thawed = world.now
        running?.watch.goesOn()
        unsureSince = unsureSince.map { max($0, world.now) }
        for body in work { body() }
        for link in links.sorted(by: { $0.key < $1.key }).map(\.value) { link.pump() }
    }
}
