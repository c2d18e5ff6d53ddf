// Seeds that failed once. What they found has a test of its own on the lowest floor that shows it; the seeds
// stay, although the histories that they draw change with the code.

import Testing

/// A seed of the simulator and what it found.
struct KeptSeed: Sendable, CustomTestStringConvertible {
    let number: Int
    let options: [String]
    let found: String

    init(_ number: Int, _ options: [String], _ found: String) {
        self.number = number
        self.options = options
        self.found = found
    }

    var testDescription: String { (["--seed", "\(number)"] + options).joined(separator: " ") }

    private static let short = ["--minutes", "2"]
    private static let members = ["--profile", "members", "--minutes", "2"]
    private static let shortMembers = ["--profile", "members", "--minutes", "1"]
    private static let finite = ["--profile", "finite"]
    private static let shortFinite = ["--profile", "finite", "--minutes", "1"]
    private static let copies = ["--profile", "calm", "--with", "clones,blind-restores,equivocation,walls"]

    static let all = [
        KeptSeed(
            16, copies,
            "A restored box took a log that goes on from another branch for the sender's fault (ForkTests)."),
        KeptSeed(18, [], "A simulated crash before the first commit forgot that a disk was put back."),
        KeptSeed(
            35, [],
            "A change stream made an absent document exist when a hidden change came (HiddenChangeTests)."),
        KeptSeed(
            56, short,
            "On a disk that stayed full a node wrote its address book in every batch (FailingDiskTests)."),
        KeptSeed(
            65, short,
            "Who was away when a log was closed was not asked for the branch that only it held (ForkTests)."),
        KeptSeed(67, short, "As 65."),
        KeptSeed(
            216, [], "A node halted again on a dead disk: the checker took it for a lost acknowledgement."),
        KeptSeed(220, [], "As 216."),
        KeptSeed(240, [], "As 35, of a document that was deleted and made again."),
        KeptSeed(
            338, short, "What was only read beside a write that failed was refused (LostBatchTests)."),
        KeptSeed(398, [], "A node did not start on a full disk, for the name of its run (FailingDiskTests)."),
        KeptSeed(
            468, [],
            "After 1,009 starts a simulated node drew the chance of its neighbour: the nonces repeated."),
        KeptSeed(
            560, [], "A node did not start on a full disk, for an old note to remove (LostBatchTests)."),
        KeptSeed(
            587, [],
            "Before a fork was proved a change of one branch covered half a transaction of the other "
                + "(PairTests)."),
        KeptSeed(
            8109, ["--minutes", "1"],
            "A log was closed where nothing of it was void: the checker did not look, and blamed a read."),
        KeptSeed(
            533, [],
            "Whoever was on the lesser of two checkpoints that stand stayed there (StandingRivalTests)."),
        KeptSeed(
            9815, shortMembers,
            "Who fell into wrong hands took the only copy of a key along: the check."),
        KeptSeed(
            42851, shortMembers,
            "No epoch was good and the only admin was gone: writers under two epochs read nothing of each "
                + "other (KeyEpochTests)."),
        KeptSeed(
            43948, shortMembers,
            "Changes that came void and counted by the end of their batch are told by a rebuild: the check."),
        KeptSeed(
            6204, shortMembers,
            "A removed box gave no epoch on, as it got a later one as a reader, and sealed under that "
                + "(KeyEpochTests)."),
        KeptSeed(
            5598, shortMembers, "Of a key that only a removed reader has there is an alarm: the check."),
        KeptSeed(
            4011, shortMembers,
            "Of two copies one heard that the box was removed, the other has new keys: the check."),
        KeptSeed(
            705, finite,
            "Of a log that ended, what was held to its end on another branch than the base has stayed as it "
                + "was (OlderStateTests). Then: a box gave neither log nor base (FinalForkTests)."),
        KeptSeed(
            9788, shortFinite,
            "What a box wrote before it turned against the others came late behind that: the check."),
        KeptSeed(
            615, finite, "A newcomer hears nothing of what came late before its base: the check."),
        KeptSeed(
            48, members,
            "A box that was let in again while it was linked began in the middle: what it had said as a "
                + "stranger was dropped."),
        KeptSeed(
            155, members,
            "A removed box was shown a restriction of somebody who had given it a role beside its removal "
                + "(RosterRestrictionTests)."),
        KeptSeed(242, members, "A box that left told a removed one of it, which it may not hear."),
        KeptSeed(
            286, members,
            "Adopting what stands within a run that is not there was a trap (AdoptionTests)."),
        KeptSeed(
            342, members,
            "A removed box that had removed its remover took its removal for fallen "
                + "(RosterRestrictionTests)."),
        KeptSeed(
            461, members, "Who came by somebody who is out has no secret in common with those who stayed."),
        KeptSeed(
            811, members,
            "An epoch that only a reader could open, which had begun it as an admin, stayed its own."
        ),
        KeptSeed(
            1039, members,
            "Who was no member after all could not link to hear it: older secrets were refused."),
        KeptSeed(
            1379, members,
            "A removed box that got an epoch from its remover found no view on which to give it on."),
        KeptSeed(
            2506, members,
            "Who had left and come back by somebody who is out now was shown the door (LeavingTests)."),
        KeptSeed(
            2570, members,
            "A proof of a fork under a key that came later was not asked for again, and the log stood still."),
        KeptSeed(
            5104, members,
            "Who came back was let in as the member it was listed as, by one that had not heard of its leave."
        ),
        KeptSeed(
            5745, members,
            "Who had left and was let in by somebody who is out now kept the keys of that side to itself."),
        KeptSeed(
            5929, members,
            "A member whose admission fell was given empty packages without end (RosterRestrictionTests)."),
        KeptSeed(
            6604, members,
            "Who was put out by admitting the only other admin left keys that this one did not renew."),
        KeptSeed(
            236, shortMembers,
            "All was taken for equal while an admin waited for the answer to its joining: the check."),
        KeptSeed(
            580, shortMembers,
            "Who left had left its writes to one whose admission fell, and came back: the check asked for them."
        ),
        KeptSeed(
            909, shortMembers,
            "A leave that was told late made an admin of a box, which then owed invites: the check."),
        KeptSeed(
            1057, shortMembers,
            "What a leaver left to one that turned away since was asked of the others: the check."),
        KeptSeed(1187, shortMembers, "As 1057, of one that came back."),
        KeptSeed(
            1200, shortMembers,
            "Boxes that are out and reach nobody were taken for members by what the others know: the check."),
        KeptSeed(
            1942, shortMembers, "A program repeated a write on a disk that was put back: the check."),
        KeptSeed(
            2027, shortMembers, "Boxes that were out heard of each other after the end: the check."),
        KeptSeed(6623, shortMembers, "As 1057."),
        KeptSeed(
            7277, shortMembers,
            "Who left and came back was taken to hold what it held before, and the last copy left "
                + "(LeavingTests)."),
        KeptSeed(
            7352, shortMembers,
            "A node spoke in the middle of a batch to one that it knew to be out at its end: the check."),
        KeptSeed(
            7654, shortMembers,
            "Keys waited for one that never said what it runs, and had turned away: the check."),
        KeptSeed(7677, shortMembers, "A leave that was told late was on its way at the end: the check."),
        KeptSeed(8009, shortMembers, "Something was asked for that nobody could be told: the check."),
        KeptSeed(
            8490, shortMembers,
            "A read was answered in the batch in which its space was left, of a state that is on no disk: "
                + "the check."),
        KeptSeed(
            24, finite,
            "Who came by a base made tables without what logs had acknowledged before it "
                + "(CheckpointTrapTests)."),
        KeptSeed(
            32, finite,
            "Changes that came when a base had them were told to a stream that went on."),
        KeptSeed(40, finite, "Who had acknowledged a rival was not late: the check."),
        KeptSeed(47, finite, "A base was not taken since a relay was linked, which has no log."),
        KeptSeed(
            63, finite,
            "A version of a collected change was taken for one of the change behind it (CollectedLogTests)."),
        KeptSeed(
            67, finite, "A newcomer was level with another one, wrote, and was late (CheckpointTrapTests)."),
        KeptSeed(72, finite, "A read that had waited was answered from half a base."),
        KeptSeed(
            95, finite,
            "A box was asked for streams, alone with a base that is not known to stand: the check."),
        KeptSeed(
            117, finite, "A base that nobody offers any more was waited for, and no log taken meanwhile."),
        KeptSeed(
            130, finite,
            "A stretch that begins before the place where a log was cut trapped whoever got it."),
        KeptSeed(
            134, finite,
            "A late change was made again once more when the first of the two was collected: it counted twice."
        ),
        KeptSeed(
            177, finite,
            "Of two halves that closed a log at different places one took no checkpoint: it could not tell "
                + "its branch from another, and was refused the final one."),
        KeptSeed(210, finite, "A search for a fork named boundaries before a cut, and ended there."),
        KeptSeed(212, finite, "As 210."),
        KeptSeed(219, finite, "Who was named absent by one checkpoint was late for another: the check."),
        KeptSeed(
            254, finite,
            "A box that was put back agreed on a checkpoint, and had forgotten another one "
                + "(CheckpointRaceTests)."),
        KeptSeed(
            278, finite,
            "A log that a base began behind what was held of it could not be read before that: nothing was "
                + "committed any more (CollectedLogTests)."),
        KeptSeed(310, finite, "A box was gone with the batch in which it began to take a base: the check."),
        KeptSeed(
            392, finite,
            "Who could not execute a change of a newer version, and took a base that holds it, computed no "
                + "base any more."),
        KeptSeed(
            552, finite,
            "After a restart who had taken a base that was not known to stand yet executed what was late: the "
                + "next base differed."),
        KeptSeed(
            157, finite,
            "A copy acknowledged a checkpoint in the log that this ended: who took its base never learned that "
                + "it stands (CheckpointTrapTests)."),
        KeptSeed(
            574, finite,
            "A log that a proof had closed earlier than it ended was held to there only, once the base came "
                + "that ends it: what was made on the rest was never executed."),
        KeptSeed(
            596, finite, "What stood behind the end of a log was asked of everybody: the checker."),
        KeptSeed(
            200, finite,
            "What a checkpoint holds and its device had issued again counted twice, where nothing told which "
                + "branch the checkpoint has (FinalForkTests)."),
        KeptSeed(
            740, finite,
            "What was issued again behind the checkpoint before, and then behind this one, counted twice."),
        KeptSeed(
            587, finite,
            "A proposal that followed an open checkpoint held less than that, once a fork within was known: "
                + "its node trapped."),
        KeptSeed(
            730, finite,
            "Who computed a base, was restarted and took another one lost a document of a page that was not "
                + "asked for (LeftOverBaseTests)."),
        KeptSeed(
            10_521, shortMembers,
            "A box that was removed handed over what it had under a key of somebody who was out "
                + "(KeyEpochTests)."),
    ]
}
