import FocusCore
import FocusHTTP
import FocusNet
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
    /// - Throws: `NetError` where it can't listen where it has to.
    func serveMetrics(at place: MetricsPlace) throws(NetError) {
        guard let address = place.address else { return }
        let port = address.port ?? MetricsPlace.port
        let started = clock.wall()
        let pages = HealthPages { [weak self] in
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
            guard place == .auto, error.code == .addressInUse else { throw error }
            log.write(
                .warning, "no-metrics",
                [
                    "error": error.context,
                    "do": "free the port, or set 'metrics' to another address, or to off",
                ])
            return
        }
        serving?.health = Health(pages: pages, http: http)
        let endpoint = Endpoint.tcp(host: address.host, port: http.port)
        notes.metrics = "\(endpoint)"
        log.write(.info, "metrics", ["endpoint": "\(endpoint)"])
    }

    /// What was last seen of the store's file, and since when a look is under way.
    struct StoreSight {
        var file: StoreFile
        /// When a look began.
        var asked: SteadyInstant
        var isAsked: Bool
    }

    /// Has the store's file looked at once a second, on the reader's loop, one look at a time.
    ///
    /// - Parameters:
    ///   - watch: looks at the store's file.
    ///   - reader: the loop on which it is looked at.
    func watchStore(_ watch: StoreWatch, on reader: EventLoop) {
        let seen = Mailbox<StoreFile>(on: loop) { [weak self] files in
            self?.assumeIsolated { server in
                server.serving?.store.isAsked = false
                if let file = files.last { server.serving?.store.file = file }
            }
        }
        let looks = Mailbox<Void>(on: reader) { _ in seen.post(watch.measure()) }
        loop.schedule(every: .seconds(1)) { [weak self] in
            self?.assumeIsolated { server in
                guard server.serving?.store.isAsked == false else { return }
                server.serving?.store.isAsked = true
                server.serving?.store.asked = server.clock.steady()
                looks.post(())
            }
        }
    }

    /// How the server stands now.
    var state: ServerState? {
        guard let serving else { return nil }
        var state = serving.switchboard.state(serving.store.file)
        state.backup = serving.backups?.state
        if serving.store.isAsked { state.storeSilence = clock.steady() - serving.store.asked }
        return state
    }
}
