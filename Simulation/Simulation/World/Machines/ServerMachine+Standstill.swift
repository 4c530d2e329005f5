import FocusServerCore

// Standstills of a server, for example while its virtual machine is moved. Nothing of the server runs, its
// connections stay open, and it resumes with its former memory.
extension ServerMachine {
    /// Runs the body in this life of the server, at once or as soon as it runs again.
    func whenRunning(in life: Int, _ body: @escaping () -> Void) {
        guard self.life == life else { return }
        guard postponed == nil else {
            postponed?.append { [weak self] in self?.whenRunning(in: life, body) }
            return
        }
        body()
    }

    /// Runs the body at once, or as soon as the server runs again.
    func whenRunning(_ body: @escaping () -> Void) { whenRunning(in: life, body) }

    /// Whether the server stands still.
    var isFrozen: Bool { postponed != nil }

    /// Freezes the server for `duration` microseconds. Its connections stay open.
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

    /// Resumes the server with its former memory.
    func thaw() {
        guard let work = postponed else { return }
        trace("goes on")
        database?.reach("went on after it stood still")
        database?.recordTrouble(of: index)
        postponed = nil
        thawedAt = world.now
        unsureSince = unsureSince.map { max($0, world.now) }
        for body in work { body() }
        for link in links.sorted(by: { $0.key < $1.key }).map(\.value) { link.pump() }
    }
}
