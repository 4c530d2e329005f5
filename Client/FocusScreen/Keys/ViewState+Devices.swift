import CursesKit
import FocusCore
import FocusSeal

// The keys of the devices screen.
extension ViewState {
    /// Handles a key of the devices screen. Returns nil if the screen doesn't use the key, and `.some(nil)`
    /// if the key changes only the view's state.
    ///
    /// - Parameter step: The number of rows that the key moves in the list; nil if it doesn't move.
    mutating func pressOnDevices(
        _ key: Key, _ step: Int?, _ scene: Scene, _ rows: [DeviceRow], _ height: Int
    ) -> Effect?? {
        let selected = selected(of: rows)
        switch key {
        case .character("i"):
            if pendingOperation == .asking {
                message = "The server is being asked for something already."
                return .some(nil)
            }
            if scene.presentation.sharing != .alone { return .some(.invite) }
            message =
                "This laptop is in no group: share from it (S), or join a group (J), before you invite others."
        case .character("S"):
            if pendingOperation != nil {
                message = "Something is being done already."
            } else if scene.presentation.sharing != .alone, rows.allSatisfy({ $0.server == nil }) {
                message =
                    "The group's server is elsewhere: i lets another laptop in. To share from here, leave the group first (p)."
            } else {
                return .some(.share)
            }
        case .character("e"), .enter:
            let own = rows.first { $0.standing == .this }?.name ?? ""
            if key == .enter, selected?.standing != .this {
                message = "Only this laptop can be renamed here; rename another one on itself."
            } else {
                dialog = .field(.name, TextField(offering: own))
            }
        case .character("d"), .delete:
            guard let selected else { return .some(nil) }
            askToRevoke(selected, rows)
        case .character("a"):
            guard let selected else { return .some(nil) }
            if [.latecomer, .readmitted].contains(selected.standing) {
                dialog = .question(.accept(selected))
            } else {
                message = "\(selected.name) isn't waiting to be accepted."
            }
        case .character("b"):
            guard let selected else { return .some(nil) }
            if selected.standing == .revoked { return .some(.readmit(selected.id)) }
            message = "\(selected.name) isn't shut out."
        case .character("J"): askForInvite(scene)
        case .character("p"):
            if scene.presentation.sharing == .alone {
                message = "This laptop is in no group."
            } else {
                dialog = .question(
                    .leaveGroup(
                        isOnlyMember: !rows.contains { [.member, .latecomer].contains($0.standing) },
                        isServer: rows.contains { $0.server == .running }))
            }
        default:
            guard let step else { return nil }
            devices.move(by: step, on: rows.map(\.id), height: height)
        }
        return .some(nil)
    }

    private mutating func askForInvite(_ scene: Scene) {
        if pendingOperation == .joining {
            message = "It is joining a group already: Esc gives that up."
        } else if scene.presentation.sharing != .alone {
            message =
                "This laptop is in a group already: p leaves it. 'focus join INVITE' takes the group to another server."
        } else {
            dialog = .field(.invite, TextField(limit: Invite.textLimit))
            message =
                "Paste an invite. To make one, press i or S among the devices on the other laptop, or run 'focusd invite' on a server."
        }
    }

    private mutating func askToRevoke(_ row: DeviceRow, _ rows: [DeviceRow]) {
        switch row.standing {
        case .this: message = "This laptop can't shut itself out. To leave the group, press p."
        case .keyless: message = "\(row.name) has never joined a group."
        case .revoked: message = "\(row.name) is already shut out."
        case .left: message = "\(row.name) has left the group."
        case .member, .latecomer, .listed, .readmitted:
            // The device to revoke may have put the devices in `along` on the server's list, and may have let
            // in the devices in `recent`.
            let along = rows.filter { $0.standing == .listed && $0.id != row.id }
            let recent = rows.filter { $0.isRecent && $0.id != row.id && $0.arrival > row.arrival }
            dialog = .question(.revoke(row, along: along, recent: recent))
        }
    }

    /// Returns the selected device.
    func selected(of rows: [DeviceRow]) -> DeviceRow? {
        devices.window(on: rows.map(\.id), height: 1).selected.map { rows[$0] }
    }
}
