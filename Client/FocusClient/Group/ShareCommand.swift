import CommandLineKit
import FocusContact
import FocusDevice
import FocusFront
import FocusLink

/// `focus share`: shares from this laptop, ends that, or prepares a move to another server.
struct ShareCommand {
    let request: ShareRequest

    func run(in context: CommandContext) throws(CommandFailure) {
        switch request {
        case .start(let name, let showsCode): try start(name, showsCode: showsCode, context)
        case .stop:
            let end = try mapOperationError { () throws(GroupOperationError) in
                try context.operations.stopSharing()
            }
            try context.show(SharingText.stopped(end))
        case .move(let address):
            let backup = try prepareMove(to: address, context)
            try context.show(backup.map { SharingText.moving(to: address, $0) } ?? [SharingText.staying])
        }
    }

    /// Prepares a move, or gives it up. If the server may run on the other machine, asks before that.
    private func prepareMove(
        to address: String, _ context: CommandContext
    ) throws(CommandFailure) -> String? {
        do throws(GroupOperationError) {
            return try context.operations.prepareMove(to: address, isConfirmed: false)
        } catch {
            guard error.cause == .sharing(.mayHaveMoved),
                let isConfirmed = context.console.confirms("\(SharingText.moveRisk) Give the move up?")
            else { throw error.asCommandFailure() }
            guard isConfirmed else { throw CommandFailure("Nothing was changed.", .notNow) }
        }
        return try mapOperationError { () throws(GroupOperationError) in
            try context.operations.prepareMove(to: address, isConfirmed: true)
        }
    }

    /// Shares, and prints the invite as the last line.
    private func start(
        _ name: String?, showsCode: Bool, _ context: CommandContext
    ) throws(CommandFailure) {
        if showsCode { try PublishedInvite.requireCodes() }
        let shared = try mapOperationError { () throws(GroupOperationError) in
            try context.operations.share(called: name, cancellation: Cancellation())
        }
        try context.show(shared.sentences)
        if let namesake = shared.joined?.namesakeSentence(RenameCommand.remedy) {
            context.console.report(namesake)
        }
        try shared.invite.show(showsCode: showsCode, in: context)
    }
}
