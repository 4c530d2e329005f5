package import FocusNet

extension Server {
    /// What a supervisor was told.
    struct Report {
        let supervisor: Supervisor
        /// Whether it wants to hear that the server isn't stuck.
        let isWatched: Bool
        /// What it was told last; what isn't in it has yet to be told.
        var told: Set<Supervisor.Notice> = []

        /// Tells what it wasn't told yet. What doesn't reach it is told with the next beat.
        mutating func tell(_ notices: [Supervisor.Notice]) {
            let news = notices.filter { !told.contains($0) }
            guard isWatched || !news.isEmpty else { return }
            if supervisor.tell(news + (isWatched ? [.alive] : [])) { told = Set(notices) }
        }
    }

    /// Tells the supervisor that the server is ready, and from then on, on the loop that the connections live on, how
    /// it stands, and that the loop isn't stuck.
    ///
    /// - Parameter watchdog: how long the supervisor waits for a word; nil where it doesn't.
    package func report(to supervisor: Supervisor, watchdog: Duration?) {
        report = Report(supervisor: supervisor, isWatched: watchdog != nil)
        tellSupervisor()
        // Twice in the time allowed, so that one that comes late isn't the end.
        let period = min(.seconds(5), (watchdog ?? .seconds(10)) / 2)
        loop.schedule(every: period) { [weak self] in self?.assumeIsolated { $0.tellSupervisor() } }
    }

    /// Tells the supervisor how things stand now.
    func tellSupervisor() {
        guard let state else { return }
        report?.tell([state.isStopping ? .stopping : .ready, .status(state.sentence)])
    }
}

extension ServerState {
    /// How the server stands, in one line.
    var sentence: String {
        if isStopping { return "Stopping; \(count(connections, "connection")) left." }
        let troubles = troubles
        guard troubles.isEmpty else { return "Not ready. \(troubles.map(\.sentence).joined(separator: " "))" }
        return "Serving \(count(groups, "group")) with \(count(devices, "device")), "
            + "\(count(connections, "connection")) now."
    }

    private func count(_ number: Int, _ noun: String) -> String {
        "\(number) \(noun)\(number == 1 ? "" : "s")"
    }
}
