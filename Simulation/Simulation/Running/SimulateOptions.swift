/// The options of `simulate`.
struct SimulateOptions {
    var seed: UInt64 = 1
    /// The number of worlds; nil if `seconds` limits them.
    var seeds: UInt64? = 1
    /// The time after which no further world begins, in seconds; nil for no limit. With mutants, the time for
    /// each mutant.
    var seconds: Int?
    var minutes = 20
    var jobs = 1
    /// The number of mutants to try, selected by `turn`; nil for all.
    var taken: Int?
    /// The number of worlds in which each mutant is tried.
    var worlds: UInt64 = 500
    /// The selection of `taken` mutants: 0 selects the first ones, 1 the next ones, and so on. After the last
    /// mutant, the first one follows.
    var turn = 0
    /// The numbers of the mutants to try; empty for all.
    var only: Set<Int> = []
    var isTraced = false
    /// Whether each seed is printed when its world begins and ends.
    var namesSeeds = false
    var isShrunk = false
    var endsAtFailure = false
    /// Whether in every world a member of one of the groups is malicious.
    var hasTraitor = false
    /// Whether in every world the server's host is malicious.
    var isLying = false
    /// Whether in every world several servers share a database.
    var isShared = false
    var triesMutants = false
    /// Whether to try only the mutants with `isFoundEarly`, in worlds of three minutes.
    var triesEarly = false
    /// Whether the coverage of the worlds is printed.
    var showsReach = false

    /// Returns the plan of a seed.
    func plan(of seed: UInt64) -> Plan {
        Plan(seed: seed, minutes: minutes, hasTraitor: hasTraitor, isLying: isLying, isShared: isShared)
    }

    static let usage = """
        simulate [--seed N] [--seeds COUNT | --for SECONDS] [--minutes M] [--jobs COUNT]
                 [--trace] [--name-seeds] [--shrink] [--until-failure] [--traitor] [--lying] [--sharing]
                 [--reach]
        simulate --mutants [--early] [--only NUMBER]… [--take COUNT --turn NUMBER]
                 [--worlds COUNT] [--for SECONDS] [--jobs COUNT]

          --seed N         the first world (1)
          --seeds COUNT    how many worlds (1)
          --for SECONDS    begin new worlds for this long; with --mutants, for each mutant
          --minutes M      how long each goes on, in its own time, at most 10000 (20)
          --jobs COUNT     how many worlds at once (1)
          --trace          say what happens, line by line
          --name-seeds     print each seed when its world begins and ends, to find one that crashes
          --shrink         look for a shorter run that fails in the same way, and show it
          --until-failure  begin no further world once one has failed
          --traitor        have a member of one of the groups mean harm, in every world
          --lying          have the server's host lie, in every world
          --sharing        have several servers share a database, in every world
          --reach          list the events that the worlds reached, and how often
          --mutants        put defects into a copy of the sources, and say which seed finds each
          --early          with --mutants: only those that a few worlds of three minutes find
          --worlds COUNT   how many worlds each is tried in (500)
          --only NUMBER    only this mutant; may be repeated
          --take COUNT     only COUNT mutants
          --turn NUMBER    which, with --take: the next ones with each number (0)

        """

    /// Nil if an argument is unknown or lacks its number.
    init?(_ words: [String]) {
        var rest = words[...]
        while let word = rest.popFirst() {
            guard !setFlag(word) else { continue }
            guard let next = rest.popFirst() else { return nil }
            guard let value = UInt64(next), setNumber(word, value) else { return nil }
        }
        // Otherwise the lines of several worlds would mix.
        if isTraced { jobs = 1 }
    }

    private mutating func setFlag(_ word: String) -> Bool {
        switch word {
        case "--trace": isTraced = true
        case "--name-seeds": namesSeeds = true
        case "--shrink": isShrunk = true
        case "--until-failure": endsAtFailure = true
        case "--traitor": hasTraitor = true
        case "--lying": isLying = true
        case "--sharing": isShared = true
        case "--reach": showsReach = true
        case "--mutants": triesMutants = true
        case "--early":
            triesMutants = true
            triesEarly = true
        default: return false
        }
        return true
    }

    private mutating func setNumber(_ word: String, _ value: UInt64) -> Bool {
        switch word {
        case "--seed": seed = value
        case "--seeds": seeds = value
        case "--for":
            seconds = Int(clamping: value)
            seeds = nil
        case "--minutes": minutes = Int(min(value, 10_000))
        case "--jobs": jobs = Int(min(max(value, 1), 64))
        case "--worlds": worlds = value
        case "--take": taken = Int(clamping: value)
        case "--turn": turn = Int(clamping: value)
        case "--only": only.insert(Int(clamping: value))
        default: return false
        }
        return true
    }
}
