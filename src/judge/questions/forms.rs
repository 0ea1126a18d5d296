//! The names of the groups of phrases that the language files define, and sets of them. Must not contain a
//! phrase: `assets/lang/` does.

use serde::{Deserialize, Serialize};
use strum::VariantArray;

/// A group of phrases, by what a writer does with them. The language files use the names in snake case.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Deserialize, Serialize)]
#[derive(VariantArray)]
#[serde(rename_all = "snake_case")]
pub(super) enum Form {
    /// A question put to the reader in words, with or without a question mark ("would you like").
    Direct,
    /// "which option/approach/method"; counts only in a question.
    WhichOption,
    /// Asks for approval, or to confirm an understanding.
    Confirm,
    /// Asks the reader to choose.
    Choose,
    /// "Let me know", "tell me", お知らせください.
    TellMe,
    /// Asks for a value, file, log, key or action without which the work stops.
    WantsInput,
    /// Says that the writer is waiting for the reader.
    Waiting,
    /// Proposes further work in a question ("want me to").
    Offer,
    /// A condition about questions, help, problems or feedback.
    CourtesyCondition,
    /// A condition about proceeding, choosing, deleting and the like.
    GoCondition,
    /// An empty closing question ("anything else?").
    CourtesyQuestion,
    /// A polite closing ("feel free to ask").
    Courtesy,
    /// Mentions that more would be possible, without a question.
    Optional,
    /// The opening of an answer: yes, no, because.
    AnswerOpen,
    /// Says what the writer chose or assumed.
    SelfDecided,
    /// Says that the writer needs the answer or lacks the information.
    NeedsAnswer,
    /// Addresses the reader (you, your).
    You,
    /// Names the writer (I, we).
    Me,
    /// A why/what/how/where/who question.
    Wh,
    /// A question that explains rather than asks (why does, what happens when).
    Explains,
    /// A tag question, or one that expects no answer.
    Rhetorical,
    /// Restates the request to have it confirmed ("so you want …, right?").
    Understanding,
    /// Announces questions that are themselves the deliverable, or somebody else's.
    QuestionsMade,
    /// Announces questions to the reader.
    QuestionsAsked,
    /// Opens a letter.
    Greeting,
    /// Closes a letter.
    SignOff,
    /// Says what the writer will do next.
    Announce,
    /// Looks like an announcement but is not one.
    AnnounceNot,
    /// Says that the writer's work is still running.
    Progress,
    /// Says that a part of the work is not done.
    Partial,
    /// Says that the work was given up.
    Stuck,
    /// The text of an error instead of an answer.
    ErrorOnly,
    /// The mark of an interrupted turn.
    Interrupted,
    /// A stub instead of the deliverable.
    Placeholder,
    /// A bare word of consent instead of an answer.
    Acknowledgement,
    /// Introduces a plan or a to-do list.
    PlanLead,
    /// A word that cannot end a finished sentence.
    CutOff,
    /// Says that something was finished.
    Done,
    /// Tells the reader how to use the result.
    Instruction,
    /// Leaves something to another person or time.
    Elsewhere,
    /// Contains the words of a request without being one (past, opinion, pointer).
    NotARequest,
    /// Marks a question as reported, not asked ("whether", "the question of").
    Reported,
    /// Opens with a verb in progress ("running the tests").
    AnnounceIng,
    /// Has a finite verb where an announcement would have none.
    Finite,
    /// Asks what ought to be done ("should").
    Deliberates,
    /// Names what the reader should tell (which, whether, when), or what follows from it.
    Indirect,
    /// A condition at the beginning of the sentence.
    LeadingCondition,
    /// The writer thinks aloud ("hmm", "could it be").
    Musing,
    /// Asks for a thing by naming it ("your team ID, please").
    Plea,
    /// Draws the conclusion from an answer ("so it stays").
    Settled,
    /// Opens with somebody or something other than writer and reader.
    ThirdPerson,
    /// A condition about taste, wish or convenience ("if you like").
    IfWants,
    /// A condition about what may go wrong later ("if it still fails").
    IfTrouble,
    /// The writer is in the middle of an act ("I'm applying that next").
    Doing,
    /// The writer's helpers or jobs are still running, or awaited.
    OthersWork,
    /// Contrasts one thing with another ("or").
    Alternative,
    /// Asks for more than a yes or a no ("which", "how many").
    Interrogative,
    /// A condition that stands before what it is a condition of ("if it breaks, …").
    Condition,
    /// Says that nothing was changed.
    NothingDone,
    /// Admits that something of this work fails, is not done or was not verified, now.
    Admits,
    /// Says beside the words of [`Form::Admits`] that they admit nothing: mended, none, only if, agreed.
    AdmitsNot,
    /// Says that a part of so many is done ("3 of 7 are converted"); the numbers tell whether it is all of them.
    Counted,
    /// Speaks of what was so before, of a limit that is known, or of what was to be left alone.
    Unconcerned,
    /// Puts the words of [`Form::Admits`] under a condition, into a reason or into the name of a thing.
    Subordinate,
    /// Says that nothing of the work is left.
    NothingLeft,
    /// Says that the tests pass.
    TestsPass,
}

impl Form {
    /// The name of group `number` in the language files.
    pub(super) fn name(number: usize) -> Option<String> {
        let name = serde_json::to_value(Form::VARIANTS.get(number)?).ok()?;
        name.as_str().map(str::to_owned)
    }
}

/// How many groups there are.
pub(super) const COUNT: usize = Form::VARIANTS.len();
/// How many of them the learned correction knows: the first ones.
pub(super) const LEARNED: usize = Form::NothingDone as usize + 1;

/// A set of groups, one bit each.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub(super) struct FormSet(u128);

const _: () = assert!(COUNT <= 128);

impl FormSet {
    /// No group.
    pub(super) const EMPTY: Self = Self(0);

    /// The groups that can make a sentence ask for something.
    pub(super) const ASKING: Self = Self::of(&[
        Form::Direct,
        Form::Confirm,
        Form::Choose,
        Form::TellMe,
        Form::WantsInput,
        Form::Waiting,
        Form::Plea,
    ]);

    /// The set of the given groups.
    pub(super) const fn of(forms: &[Form]) -> Self {
        let mut bits = 0;
        let mut index = 0;
        while index < forms.len() {
            bits |= 1 << forms[index] as u32;
            index += 1;
        }
        Self(bits)
    }

    /// The set whose bits, by the groups' numbers, are given.
    pub(super) const fn from_bits(bits: u128) -> Self {
        Self(bits)
    }

    /// The groups of both sets.
    pub(super) const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Those of these groups that this set contains.
    pub(super) const fn only(self, forms: &[Form]) -> Self {
        Self(self.0 & Self::of(forms).0)
    }

    /// This set without one group.
    pub(super) const fn without(self, form: Form) -> Self {
        Self(self.0 & !(1 << form as u32))
    }

    /// Whether this set contains all groups of the other.
    pub(super) const fn covers(self, other: Self) -> bool {
        other.0 & !self.0 == 0
    }

    /// Whether the sets have a group in common.
    pub(super) const fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether the set contains the group.
    pub(super) fn has(self, form: Form) -> bool {
        self.0 & (1 << form as u32) != 0
    }

    /// Calls `each` with the number of each group in the set.
    pub(super) fn each(self, mut each: impl FnMut(usize)) {
        let mut bits = self.0;
        while bits != 0 {
            each(bits.trailing_zeros() as usize);
            bits &= bits - 1;
        }
    }

    /// Whether the set contains any of the groups.
    pub(super) fn any(self, forms: &[Form]) -> bool {
        forms.iter().any(|&form| self.has(form))
    }
}
