import CommandLineKit
import FocusCore
import FocusDevice
import FocusFront
import FocusLink
import FocusSeal
import FocusStore
import FocusSync

/// The checks of the device's own log and keys.
struct DeviceCheck {
    let device: Device

    /// The finding that the log is damaged or can't be read; nil if it is intact.
    var damage: Finding? {
        do throws(StoreError) {
            if let first = try device.store.integrityProblems().first { throw StoreError(.damaged, first) }
            _ = try DeviceStatus(device)
            _ = try DeviceList(device)
            return nil
        } catch {
            return .wrong(.log, CommandFailure(error, device.home.database).message)
        }
    }

    /// Whether it is known that the server or another laptop has shut this one out.
    var isShutOut: Bool {
        guard let state = try? device.store.state(), let now = try? device.now() else { return false }
        return (try? device.troubles(state, at: now))?.contains(.revoked) ?? false
    }

    /// Returns the findings about events that can't be read, are put aside, are damaged or are early. If there
    /// are none, returns the finding that the log is intact.
    func log(isShutOut: Bool) -> [Finding] {
        let path = device.home.database
        do throws(StoreError) {
            var found: [Finding] = []
            let sealed = try device.store.sealedCount()
            if sealed > 0, isShutOut {
                let changes = counted(sealed, "change")
                found.append(
                    .note(.log, "\(changes) can't be read: this laptop was shut out before their key came."))
            } else if sealed > 0 {
                found.append(.note(.log, Trouble.unreadable(sealed).sentence, remedy: "focus sync"))
            }
            let aside = try device.store.asideCount()
            if aside > 0 {
                found.append(
                    .note(
                        .log,
                        "Put aside until their key arrives: \(counted(aside, "change")) that the server has in another version."
                    ))
            }
            let damaged = try DamagedEvents(in: device.store).sentence
            if !damaged.isEmpty { found.append(.note(.log, damaged)) }
            let state = try device.store.state()
            for case .earlyEvents(let early, let lead) in try device.troubles(state, at: device.now()) {
                found.append(
                    .wrong(.log, Trouble.earlyEvents(early, by: lead).sentence, remedy: "focus clock accept"))
            }
            let events = try device.store.eventCount()
            return found.isEmpty
                ? [
                    .fine(
                        .log,
                        "\(path) is intact, in this version's format, and has \(counted(events, "change")).")
                ] : found
        } catch {
            return [.wrong(.log, CommandFailure(error, path).message)]
        }
    }

    /// The finding about the key by which the group knows the laptop; empty if the laptop never needed one.
    var keys: [Finding] {
        do {
            guard let identity = try device.identity() else { return [] }
            let name = identity.keyHash.hexadecimal.prefix(16)
            return [.fine(.keys, "\(device.home.identity) holds this laptop's key, \(name).")]
        } catch DeviceFailure.key(let trouble, let path) {
            return [.wrong(.keys, trouble.sentence(path), remedy: DeviceFailure.KeyTrouble.remedy)]
        } catch {
            return [.wrong(.keys, "\(error).", remedy: remedy(for: error))]
        }
    }

    /// Returns the remedy for a key file that can't be used; nil if the error's own sentence or another
    /// finding names the remedy.
    private func remedy(for error: any Error) -> String? {
        guard (error as? SealError)?.code == .malformedKey else { return nil }
        if (try? device.store.group()) ?? nil != nil { return DeviceFailure.KeyTrouble.remedy }
        return "Remove it: nobody knows this laptop by it, and 'focus join INVITE' makes another one."
    }

    /// Returns the finding about the laptop's group and its membership.
    func group(isShutOut: Bool) -> Finding {
        do throws(StoreError) {
            guard try device.store.group() != nil else {
                return .note(
                    .group, "This laptop is in no group.",
                    remedy:
                        "To share a session: 'focus share' on one laptop, and 'focus join INVITE' on the others."
                )
            }
            let entries = try DeviceList(device).entries
            let name = try device.name()
            guard !isShutOut else {
                return .wrong(.group, Trouble.revoked.sentence)
            }
            let count = entries.count(where: \.isMember)
            let place = count == 1 ? "the only laptop of its group" : "one of \(count) laptops"
            let late = entries.count(where: \.isLate)
            guard late == 0 else {
                return .note(
                    .group,
                    "This laptop is \(name), \(place). \(Trouble.latecomers(late).sentence)")
            }
            return .fine(.group, "This laptop is \(name), \(place).")
        } catch {
            return .wrong(.group, CommandFailure(error, device.home.database).message)
        }
    }

    /// The finding about the difference between the laptop's and the server's clock; empty if the server was
    /// never heard.
    var clock: [Finding] {
        do throws(StoreError) {
            guard try device.lastContact() != nil else { return [] }
            return [ClockOffset(offset: try device.clock().fromWall).finding]
        } catch {
            return [.wrong(.clock, CommandFailure(error, device.home.database).message)]
        }
    }

    /// Returns the finding about changes that the server hasn't acknowledged; empty if the laptop is in no
    /// group.
    ///
    /// - Parameter obstacle: The obstacle between the laptop and the server; nil if there is none.
    func pending(behind obstacle: ServerObstacle?) -> [Finding] {
        do throws(StoreError) {
            guard try device.store.group() != nil else { return [] }
            let pending = try device.store.pendingCount()
            guard pending > 0 else { return [.fine(.pending, "The server has every change.")] }
            let now = try device.now()
            let heard = try device.lastContact().map { AgoText.text(now - $0.shared) }
            let last = "the server was \(heard.map { "last heard \($0)" } ?? "never heard")"
            let changes = counted(pending, "change")
            guard obstacle?.needsPerson != true, obstacle != .ownFault else {
                return [
                    .note(.pending, "\(changes) \(pending == 1 ? "is" : "are") on this laptop only; \(last).")
                ]
            }
            let isReached = obstacle == nil
            let refusal = try device.pendingRefusal()?.sentence
            return [
                .note(
                    .pending, "\(changes) \(pending == 1 ? "waits" : "wait") to be sent; \(last).",
                    remedy: isReached
                        ? refusal
                            ?? "They are sent by themselves. 'focus sync' sends them now, or says what prevents it."
                        : "They are sent once the server can be reached.")
            ]
        } catch {
            return [.wrong(.pending, CommandFailure(error, device.home.database).message)]
        }
    }
}

/// The difference between shared time and the laptop's clock.
struct ClockOffset: Hashable {
    /// Shared time minus the wall clock.
    let offset: Duration

    /// The smallest difference that is reported.
    private static let reportThreshold = Duration.seconds(2)

    var finding: Finding {
        let distance = offset.magnitude
        let remedy = "Set it, or have it set: sudo timedatectl set-ntp true"
        guard distance > ClockOffset.reportThreshold else {
            return .fine(.clock, "This laptop's clock agrees with the server's.")
        }
        let text =
            "This laptop's clock is \(lengthText(distance)) "
            + "\(offset > .zero ? "behind" : "ahead of") the server's."
        return distance > Limits.ahead
            ? .wrong(.clock, text, remedy: remedy)
            : .note(.clock, "\(text) Sessions use the server's.", remedy: remedy)
    }
}
