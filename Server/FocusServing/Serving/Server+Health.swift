import FocusCore
import FocusHTTP
package import FocusNet
import FocusServerFiles
import FocusWriter

extension Server {
    /// What serves metrics and health, and what it needs.
    struct Health {
        let pages: HealthPages
        let http: HTTPServer
    }

    /// Begins to serve metrics and health. After `start`.
    ///
    /// - Throws: `NetError` where it can't listen where it has to, or what it takes isn't installed.
    func serveMetrics(at place: MetricsPlace) throws(NetError) {
        guard let address = place.address else { return }
        let port = address.port ?? MetricsPlace.port
        let started = clock.wall()
        let pages = HealthPages(log) { [weak self] in
            self?.assumeIsolated { server in
                server.switchboard.flatMap { switchboard in
                    server.state.map {
                        MetricsPage(metrics: switchboard.metrics, state: $0, started: started)
                    }
                }
            }
        }
        let http: HTTPServer
        do throws(NetError) {
            http = try HTTPServer(
                port: port, for: .anyone(at: address.host), headers: HealthPages.headers,
                limits: HealthPages.limits, on: loop, handler: pages)
        } catch {
            guard place == .auto, let remedy = error.metricsRemedy else { throw error }
            log.write(.warning, "no-metrics", ["error": .text(error.context), "do": .remedy(remedy)])
            return
        }
        serving?.health = Health(pages: pages, http: http)
        let endpoint = Endpoint.tcp(host: address.host, port: http.port)
        notes.metrics = "\(endpoint)"
        log.write(.info, "metrics", ["endpoint": "\(endpoint)"])
    }

    /// How the server stands now.
    var state: ServerState? {
        guard let serving else { return nil }
        var state = serving.switchboard.state(serving.store.look)
        state.backup = serving.backups?.state
        state.storeRoundTrip = serving.store.roundTrip
        state.storeSilence = serving.store.silence(at: clock.steady())
        return state
    }
}

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
        report?.tell([state.isStopping ? .stopping : .ready, .status(state.sentence(log))])
    }
}

extension NetError {
    /// What brings metrics that nobody asked for; nil where their lack is no small matter.
    fileprivate var metricsRemedy: Remedy? {
        switch code {
        case .addressInUse: .freePort
        case .noLibrary: .installLibrary
        default: nil
        }
    }
}
