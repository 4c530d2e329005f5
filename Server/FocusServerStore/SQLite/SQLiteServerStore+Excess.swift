import FocusSync
import SQLiteKit

extension SQLiteServerStore {
    /// What there are more rows of than some group may have, for people; nil where there aren't. What counts as events,
    /// bytes, epochs and replicas its log knows (`GroupIndex.excess`). Looks at all devices and invites.
    package func excess() throws -> String? {
        // Open ones, one more of each device that had none, those that ended, and what each device came in by.
        let invites = 2 * InviteLimits.ofGroup + 2 * RosterSize.half
        for (table, limit) in [
            ("devices", Limits.devices), ("brought", Limits.devices), ("invites", invites),
        ] {
            let most: Int? = try database.first(
                """
                SELECT max(rows) FROM
                    (SELECT count(*) AS rows FROM \(table) WHERE group_number IS NOT NULL GROUP BY group_number)
                """
            ) { $0[0] }
            if let most, most > limit { return "\(most) rows of \(table), over \(limit)" }
        }
        return nil
    }
}
