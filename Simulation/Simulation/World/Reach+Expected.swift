extension Reach {
    /// What so many worlds have to come to.
    package static func expected(of worlds: UInt64) -> [String] {
        (worlds >= 100 ? usual : []) + (worlds >= 1_000 ? rare : [])
    }

    /// What about one world in eight comes to, or more: that none of a hundred does is less likely than one in half a
    /// million.
    package static let usual = [
        "event adjust", "event adopt", "event amend", "event device", "event label", "event pause",
        "event record", "event resume", "event retime", "event set", "event skip", "event split",
        "event start", "event stop", "event undo", "message ack", "message bye", "message createInvite",
        "message enrol", "message enrolled", "message epoch", "message error", "message greeting",
        "message have", "message hello", "message inviteCreated", "message ping", "message pong",
        "message presence", "message push", "message revoke", "message revoked", "message roster",
        "message successor", "message upload", "message want", "message welcome", "notice adopted",
        "notice joined", "notice keyChanged", "notice returned", "notice setAnew", "notice stopped",
        "notice stoppedOwn", "notice tookBack", "operating announced key", "operating backup",
        "operating changed key", "operating deleted group", "operating lifted quota", "operating quota",
        "operating rename", "operating restored backup", "phase completed longBreak",
        "phase completed shortBreak", "phase completed work", "phase skipped shortBreak",
        "phase skipped work", "phase stopped longBreak", "phase stopped shortBreak", "phase stopped work",
        "press add", "press addTime", "press label", "press nameDevice", "press pause", "press redo",
        "press relabel", "press remove", "press resume", "press retime", "press set", "press skip",
        "press split", "press start", "press stop", "press toggle", "press undo", "problem alreadyPaused",
        "problem alreadyRunning", "problem claims", "problem futureEnd", "problem isPaused",
        "problem noEffect", "problem nothingRuns", "problem nothingToRedo", "problem nothingToUndo",
        "refusal clock_not_sure", "refusal gap", "refusal revoked", "refusal shutting_down",
        "refusal unknown_device", "upgrade laptop with later protocol", "upgrade laptop without power",
        "upgrade laptop without the protocol", "upgrade server from 4", "upgrade server from 5",
        "upgrade server without power",
    ]

    /// What one world in forty comes to, or more: that none of a thousand does is less likely still.
    package static let rare = [
        "event readmit", "event revoke", "event unknown", "message chains", "message chainsAsked",
        "message refused", "notice badEpochs", "notice branchMoved", "notice clockJumped", "notice closed",
        "notice damaged", "notice kept", "notice latecomers", "notice newcomers", "notice paused",
        "notice putBack", "notice reauthored", "notice woke", "operating cancelled key",
        "phase skipped longBreak", "problem store", "problem timeOutOfRange", "refusal clock_ahead",
        "refusal group_full", "refusal malformed", "refusal no_room", "refusal not_allowed",
        "refusal parted", "refusal rate", "refusal silence", "refusal unknown", "refusal unknown_epoch",
        "refusal version", "returning adopt", "returning amend", "returning record", "returning set",
        "returning stop", "returning undo", "round chains asked 2", "round chains asked 3", "round push 2",
        "round push 3", "round upload 2", "upgrade laptop from 1", "upgrade laptop from 2",
        "upgrade laptop from 3",
    ]
}
