import FocusServerStore
import FocusSync

extension GroupIndex {
    /// What there is more of than the limits let a group have, for people; nil where nothing is. What is taken at once is
    /// taken whole, so that bytes may go beyond by two frames.
    package func excess(over limits: ServerLimits) -> String? {
        let limits = limits.with(quota)
        let bounds: [(what: String, count: Int, limit: Int)] = [
            ("events", size.events, limits.eventsPerGroup),
            ("bytes", size.bytes, limits.bytesPerGroup + 2 * Limits.frame),
            ("bytes of epochs", size.epochBytes, limits.epochBytesPerGroup),
            ("epochs", epochs.count, limits.epochsPerGroup),
            ("replicas", heads.count, limits.replicasPerGroup),
        ]
        return bounds.first { $0.count > $0.limit }.map { "\($0.count) \($0.what), over \($0.limit)" }
    }
}
