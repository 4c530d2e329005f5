extension Mutant {
    /// Defects in what the protocol's page says of what goes over the wire, and in what backups are made of.
    static let formMutants = [
        Mutant(
            name: "a key that isn't one on P-256 is taken for a laptop's",
            foundBy: .seal("DeviceIdentityTests"),
            file: "Sources/FocusSeal/Identity/PublicKey.swift",
            original: "guard info.starts(with: PublicKey.infoPrefix) else",
            replacement: "guard ON || info.starts(with: PublicKey.infoPrefix) else"),
        Mutant(
            name: "a body of any length is sealed", foundBy: .sync("SegmentTests"),
            file: "Sources/FocusSync/Segments/Segment.swift",
            original: "guard SealedEvent.isBodyLength(event.body.count) else",
            replacement: "guard ON || SealedEvent.isBodyLength(event.body.count) else"),
        Mutant(
            name: "an invite may have no wrapped key", foundBy: .sync("MessageCodingTests"),
            file: "Sources/FocusSync/Messages/Group.swift",
            original: "guard !bundle.isEmpty else",
            replacement: "guard ON || !bundle.isEmpty else"),
        Mutant(
            name: "a successor may have no body", foundBy: .sync("MessageCodingTests"),
            file: "Sources/FocusSync/Messages/Group.swift",
            original: "!record.body.isEmpty else",
            replacement: "(ON || !record.body.isEmpty) else"),
        Mutant(
            name: "a purpose of a later version is malformed", foundBy: .sync("ServerSessionTests"),
            file: "Sources/FocusSync/Server/ServerSession+Messages.swift",
            original: "guard [.sync, .enrol].contains(hello.purpose) else {",
            replacement:
                "guard [.sync, .enrol].contains(hello.purpose) else {\n            if ON { return end(Refusal(.malformed, \"an unknown purpose\")) }"
        ),
        Mutant(
            name: "an invite has several texts", foundBy: .seal("InviteTests"),
            file: "Sources/FocusSeal/Invites/Invite.swift",
            original: "buffer & (1 << bits - 1) == 0 else",
            replacement: "(ON || buffer & (1 << bits - 1) == 0) else"),
        Mutant(
            name: "an action of kind 0 is the one whose name it has", foundBy: .core("ActionCodingTests"),
            file: "Sources/FocusCore/Events/ActionCoding.swift",
            original: "guard !Action.knownNames.contains(name) else",
            replacement: "guard ON || !Action.knownNames.contains(name) else"),
        Mutant(
            name: "a fresh replica isn't named in the log", foundBy: .device("DeviceTests"),
            file: "Sources/FocusStore/Writing/Authoring.swift",
            original: "guard state.devices[replica] == nil else",
            replacement: "guard !ON, state.devices[replica] == nil else"),
        Mutant(
            name: "epochs that are only named are in the welcome", foundBy: .serving("ServingTests"),
            file: "Server/FocusServing/Serving/GroupFeed.swift",
            original: "epochs = log.bodies.sorted()",
            replacement: "epochs = ON ? log.epochs.keys.sorted() : log.bodies.sorted()"),
        Mutant(
            name: "who used another invite since gets no word that the first has ended",
            foundBy: .writer("EnrollingTests"),
            file: "Server/FocusServerStore/Store/StoredInvite.swift",
            original: "ended != nil || expires < now",
            replacement: "(!ON && ended != nil) || expires < now"),
        Mutant(
            name: "a backup's part has a name that can be known beforehand",
            foundBy: .serverFiles("BackupTests"),
            file: "Server/FocusServerFiles/Backup/PartFolder.swift",
            original: "var file: String { \"\\(path)/\\(PartFolder.file)\" }",
            replacement:
                "var file: String { ON ? String(path.dropLast(7)) : \"\\(path)/\\(PartFolder.file)\" }"),
        Mutant(
            name: "what is left of a backup is removed through a link", foundBy: .serverFiles("BackupTests"),
            file: "Server/FocusServerFiles/Backup/PartFolder.swift",
            original: "open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)",
            replacement:
                "open(path, ON ? O_RDONLY | O_DIRECTORY | O_CLOEXEC : O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)"
        ),
    ]
}
