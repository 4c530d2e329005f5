import CommandLineKit
import FocusContact
import FocusCore
import FocusDevice
import FocusFront
import FocusLink
import FocusStore
import FocusText

/// `focus devices`: lists the laptops that share the session.
struct DevicesCommand {
    let json: Bool

    /// Prints the devices, this one first.
    func run(_ device: Device?, in context: CommandContext) throws(CommandFailure) {
        guard let device else {
            return try show([.this(context.machine.platform.hostName())], at: .zero, in: context)
        }
        let (entries, now) = try device.using { device throws(StoreError) in
            (try DeviceList(device).entries, try device.now())
        }
        try show(entries, at: now, in: context)
    }

    private func show(
        _ entries: [DeviceList.Entry], at now: SharedInstant, in context: CommandContext
    ) throws(CommandFailure) {
        if json {
            return try context.print("\(DeviceList.document(entries))\n")
        }
        let width = entries.map(\.title.count).max() ?? 0
        try context.print(entries.map { "\(line($0, width, now))\n" }.joined())
        if entries.contains(where: { !$0.isThis && !$0.isRefused && $0.newSince != nil }) {
            context.console.report(
                "A new laptop can read later changes. If you don't know whose it is: focus devices revoke NAME"
            )
        }
    }

    private func line(_ entry: DeviceList.Entry, _ width: Int, _ now: SharedInstant) -> String {
        "\(padded(entry.title, to: width))  \(entry.remarks(at: now).joined(separator: ", "))"
    }
}

/// `focus devices rename`: gives this laptop another name.
struct RenameCommand: WritingCommand {
    let name: String

    /// The command that gives a laptop another name.
    static let remedy = "'focus devices rename NAME'"

    func run(on device: Device, in context: CommandContext) throws(CommandFailure) {
        do throws(PerformFailure) {
            _ = try device.perform(.nameDevice(name))
        } catch {
            throw CommandFailure(error, device.home)
        }
        let (name, namesake) = try device.using { device throws(StoreError) in
            (try device.name(), try device.namesakeSentence(RenameCommand.remedy))
        }
        context.console.report("This laptop is now called \(name).")
        if let namesake { context.console.report(namesake) }
    }
}

/// `focus devices revoke`: shuts laptops out of the group, for good.
struct RevokeCommand {
    /// The laptops' names, or the first digits of their keys.
    let words: [String]
    /// The other laptops that are shut out with them.
    let others: RevokeScope
    /// Whether to skip the questions.
    let isSure: Bool

    /// Asks for consent if there is a terminal, and shuts the laptops out.
    func run(in context: CommandContext) throws(CommandFailure) {
        guard let device = try context.readDevice() else {
            throw GroupOperationError(.noGroup).asCommandFailure()
        }
        // `found.unnamed` are laptops that only the server lists. They are shut out too, unless `others` is
        // `.nobody`. `found.recent` may have joined through a named laptop. They stay, unless the person
        // decides otherwise.
        var found = try device.select { keys throws(DeviceSelector.Failure) in
            try keys.revocable(words, revokesOnlyNamed: others == .nobody)
        }
        let names = found.named.map(\.title)
        let question = GroupQuestion.revoke(names, along: found.unnamed.map(\.title))
        guard try context.console.consents(to: question, isSure: isSure) else {
            throw CommandFailure(
                "\(DeviceName.summary(names)) \(names.count == 1 ? "stays" : "stay") in the group.", .notNow)
        }
        if try confirmsRecent(found, names, in: context) { found = found.withRecent }
        // `revoke` marks the recent laptops that stay as new. For that the device must be open for writing.
        let markingDevice = found.recent.isEmpty ? device : try context.openDevice()
        try context.show(try context.operations.revoke(found, of: markingDevice))
    }

    /// Asks whether to shut out the laptops in `found.recent` too: they may have joined through a named
    /// laptop. Returns false without a clear yes.
    private func confirmsRecent(
        _ found: DeviceSelector.Revocable, _ names: [String], in context: CommandContext
    ) throws(CommandFailure) -> Bool {
        guard !found.recent.isEmpty, others != .nobody else { return false }
        if others == .recent { return true }
        let question = GroupQuestion.revokeToo(found.recent.map(\.title), with: names)
        return isSure ? false : context.console.confirms(question) ?? false
    }
}

extension FormerSelf {
    /// Asks whether to shut it out, and does so after a yes. Without a terminal, or if it may not ask, says how.
    func offerRevocation(in context: CommandContext, mayAsk: Bool) throws(CommandFailure) {
        guard let isAgreed = mayAsk ? context.console.confirms(GroupQuestion.revoke(self)) : nil else {
            return context.console.report(
                "If \(title) is what this laptop was before, shut it out: focus devices revoke \(DeviceName.digits(key))"
            )
        }
        guard isAgreed else { return context.console.report("\(title) stays in the group.") }
        try RevokeCommand(words: [key.hexadecimal], others: .nobody, isSure: true).run(in: context)
    }
}

/// `focus devices readmit`: takes a revocation back, no matter who made it.
struct ReadmitCommand: WritingCommand {
    /// The laptop's name, or the first digits of its key.
    let word: String

    func run(on device: Device, in context: CommandContext) throws(CommandFailure) {
        let found = try device.readmit(word)
        let next = found.afterReadmission(isRefused: try device.isRefusedByServer(found.key))
        context.console.report("\(found.readmission)\n\(next)")
    }
}

/// `focus devices accept`: gives the group's key to a laptop that came with an old key.
struct AcceptCommand {
    let name: String
    /// Whether to skip the question.
    let isSure: Bool

    /// Asks for consent if there is a terminal, and accepts the laptop.
    func run(in context: CommandContext) throws(CommandFailure) {
        guard let device = try context.readDevice() else {
            throw GroupOperationError(.noGroup).asCommandFailure()
        }
        let (found, reason) = try device.select { keys throws(DeviceSelector.Failure) in
            try keys.acceptable(name)
        }
        let question = GroupQuestion.accept(found.title, found.key.hexadecimal, reason)
        guard try context.console.consents(to: question, isSure: isSure) else {
            throw CommandFailure("\(found.title) is still waiting.", .notNow)
        }
        let sentences = try context.operations.accept(found)
        try context.show(sentences)
    }
}
