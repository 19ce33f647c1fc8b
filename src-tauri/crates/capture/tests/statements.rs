//! What the built-in proposer makes of single messages, as data: the message, and what is proposed from it.
//!
//! The sentences were written for these tests, in the ways people write: small letters, no stops, slang, fragments.

use keepsake_capture::{Conversation, Turn, propose};
use keepsake_domain::{MessageType, Role, Timestamp};

fn contents(text: &str) -> Vec<String> {
    proposed(text, "")
}

/// What the linear model alone proposes: its reasoning speaks of a circumstance.
fn learned(text: &str) -> Vec<String> {
    proposed(text, "It states a circumstance ")
}

fn proposed(text: &str, reasoning: &str) -> Vec<String> {
    let turns = [Turn {
        id: "m1",
        role: Role::Owner,
        author: "Me",
        speaker: "Me",
        text,
        time: Timestamp(0),
        message_type: MessageType::Text,
        is_branch: false,
        thread: "",
    }];
    let proposals = propose(&Conversation { turns: &turns, owner_name: None, assistant_name: None }, None);
    proposals
        .candidates
        .iter()
        .filter(|c| !c.is_quarantined && c.reasoning.starts_with(reasoning))
        .map(|c| format!("{}: {}", c.category, c.content))
        .collect()
}

/// A message and what is proposed from it.
const STATEMENTS: &[(&str, &[&str])] = &[
    (
        "hey! quick intro: i'm Pilar, 34, living in Ghent with my husband and two cats",
        &[
            "personal_info: User's name is Pilar",
            "personal_info: User is 34 years old",
            "personal_info: User is living in Ghent with their husband and two cats",
        ],
    ),
    ("ok so i finally quit my job at the bank last month", &["experience: User quit their job at the bank last month"]),
    ("my dad's a retired train driver", &["relationship: User's dad is a retired train driver"]),
    ("my sister lives in Oslo and works as a midwife", &["relationship: User's sister lives in Oslo and works as a midwife"]),
    ("i've been playing chess since i was six", &["skill: User has been playing chess since they were six"]),
    ("im allergic to penicillin btw", &["personal_info: User is allergic to penicillin"]),
    ("i cant stand coriander", &["preference: User cannot stand coriander"]),
    ("we have twin boys, they're four", &["relationship: User has twin boys"]),
    (
        "i work as a night porter at a small hotel in Leith",
        &["personal_info: User works as a night porter at a small hotel in Leith"],
    ),
    ("just moved to Porto!! still no furniture", &["experience: User moved to Porto"]),
    ("I sold the Volvo and ride a cargo bike now.", &["experience: User sold the Volvo and rides a cargo bike"]),
    ("I run a bakery and teach yoga on Mondays.", &["personal_info: User runs a bakery and teaches yoga on Mondays"]),
    ("I grew up in Lagos and speak Yoruba.", &["experience: User grew up in Lagos and speaks Yoruba"]),
    ("I have two cats and walk them daily.", &["personal_info: User has two cats and walks them daily"]),
    ("I don't eat meat and avoid dairy.", &["preference: User does not eat meat"]),
    ("I don't eat meat but love fish.", &["preference: User does not eat meat", "preference: User loves fish"]),
    ("I want to sell the car and ride a bike.", &["goal: User wants to sell the car and ride a bike"]),
    ("I sold the house and garden.", &["experience: User sold the house and garden"]),
    ("I can swim and dive.", &["skill: User can swim and dive"]),
    ("i used to be a ballet dancer", &["experience: User used to be a ballet dancer"]),
    ("i'm training for the Berlin marathon in september", &["goal: User is training for the Berlin marathon in September"]),
    ("i've never been on a plane", &["experience: User has never been on a plane"]),
    ("i speak portuguese and a bit of swedish", &["skill: User speaks Portuguese and a bit of Swedish"]),
    ("my car is a 1998 volvo", &["personal_info: User's car is a 1998 volvo"]),
    ("my favourite colour is green", &["preference: User's favourite colour is green"]),
    ("we got a rescue dog called Bean last week", &["personal_info: User got a rescue dog called Bean last week"]),
    ("i prefer dark mode in everything", &["preference: User prefers dark mode in everything"]),
    ("i drink way too much coffee, like six cups a day", &["preference: User drinks way too much coffee"]),
    ("i go swimming every tuesday morning", &["preference: User goes swimming every Tuesday morning"]),
    ("i'm a morning person", &["preference: User is a morning person"]),
    ("grew up on a farm outside Limerick", &["experience: User grew up on a farm outside Limerick"]),
    ("i lost my mum two years ago", &["experience: User lost their mum two years ago"]),
    ("my girlfriend and i are getting married in june", &["goal: User is getting married in June"]),
    ("i'm saving up for a house", &["goal: User is saving up for a house"]),
    ("i hope to retire at 55", &["goal: User hopes to retire at 55"]),
    ("i'm really bad at remembering names", &["skill: User is bad at remembering names"]),
    ("i can touch type", &["skill: User can touch type"]),
    ("my daughter starts school in september", &["relationship: User's daughter starts school in September"]),
    ("i'm colourblind so red/green diffs are useless to me", &["personal_info: User is colourblind"]),
    ("not a fan of horror films", &["preference: User is not a fan of horror films"]),
    ("huge Arsenal fan here", &["preference: User is a huge Arsenal fan"]),
    ("i broke my wrist snowboarding in 2019", &["experience: User broke their wrist snowboarding in 2019"]),
    ("i have a phd in marine biology", &["personal_info: User has a PhD in marine biology"]),
    ("we don't have kids", &["relationship: User does not have kids"]),
    ("i don't eat pork", &["preference: User does not eat pork"]),
    ("i usually wake up at 5", &["preference: User usually wakes up at 5"]),
    ("i use vim btw", &["preference: User uses vim"]),
    ("at work we use gitlab", &["preference: User uses gitlab"]),
    ("i run a small bakery in Lyon with my brother", &["personal_info: User runs a small bakery in Lyon with their brother"]),
    ("i'm dyslexic so please keep paragraphs short", &["personal_info: User is dyslexic"]),
    ("my birthday is on the 3rd of march", &["personal_info: User's birthday is on the 3rd of March"]),
    (
        "i was born in Manila but grew up in Dubai",
        &["personal_info: User was born in Manila", "experience: User grew up in Dubai"],
    ),
    ("my parents are from Goa", &["relationship: User's parents are from Goa"]),
    ("i'm left-handed", &["personal_info: User is left-handed"]),
    ("i'm scared of spiders", &["personal_info: User is scared of spiders"]),
    ("i'm 5'2", &["personal_info: User is 5'2"]),
    ("i'm half Greek", &["personal_info: User is half Greek"]),
    ("i live alone", &["personal_info: User lives alone"]),
    ("i turned 40 in april", &["experience: User turned 40 in April"]),
    ("been learning the cello for two years now, still awful", &["skill: User has been learning the cello for two years"]),
    ("i take my coffee black", &["preference: User takes their coffee black"]),
    ("i'm the oldest of five", &["relationship: User is the oldest of five"]),
    ("i work from home on fridays", &["personal_info: User works from home on Fridays"]),
    ("i have type 1 diabetes", &["personal_info: User has type 1 diabetes"]),
    ("i've got three exams in may", &["goal: User has three exams in May"]),
    ("i'm working on my second novel", &["goal: User is working on their second novel"]),
    ("i'd love to learn to sail one day", &["goal: User would love to learn to sail one day"]),
    ("thinking about getting a cat", &["goal: User is thinking about getting a cat"]),
    ("i want to run a marathon before i'm 50", &["goal: User wants to run a marathon before they are 50"]),
    ("my grandmother taught me to knit", &["relationship: User's grandmother taught them to knit"]),
    ("i volunteer at the food bank on saturdays", &["preference: User volunteers at the food bank on Saturdays"]),
    ("i'm doing an evening course in welding", &["personal_info: User is doing an evening course in welding"]),
    ("i own a narrowboat", &["personal_info: User owns a narrowboat"]),
    ("i hate mornings", &["preference: User hates mornings"]),
    ("i love the smell of petrol", &["preference: User loves the smell of petrol"]),
    ("i'm in a choir", &["preference: User is in a choir"]),
    ("i sing tenor in a choir", &["preference: User sings tenor in a choir"]),
    ("i've been with my partner for nine years", &["relationship: User has been with their partner for nine years"]),
    ("my ex-wife lives in Spain", &["relationship: User's ex-wife lives in Spain"]),
    ("i'm an only child", &["relationship: User is an only child"]),
    ("i got divorced last year", &["relationship: User got divorced last year"]),
    ("i teach maths at a secondary school", &["personal_info: User teaches maths at a secondary school"]),
    ("i gave up smoking in 2018", &["experience: User gave up smoking in 2018"]),
    ("we're expecting our first baby in november", &["goal: User is expecting their first baby in November"]),
    ("i've been to Japan three times", &["experience: User has been to Japan three times"]),
    ("my name's Otis by the way", &["personal_info: User's name is Otis"]),
    ("call me Ren", &["personal_info: User's name is Ren"]),
    ("you can call me Bea", &["personal_info: User's name is Bea"]),
    ("i go by Max", &["personal_info: User goes by Max"]),
    ("my surname is Okafor", &["personal_info: User's surname is Okafor"]),
    ("i'm from Leeds originally", &["personal_info: User is from Leeds originally"]),
    ("my husband Piet is a carpenter", &["relationship: User's husband Piet is a carpenter"]),
    ("my best friend is called Noor", &["relationship: User's best friend is called Noor"]),
    ("i keep chickens", &["personal_info: User keeps chickens"]),
    ("i don't own a smartphone", &["personal_info: User does not own a smartphone"]),
    ("i've just started a new job as a park ranger", &["personal_info: User has started a new job as a park ranger"]),
    ("i'm self-employed", &["personal_info: User is self-employed"]),
    ("i'm a vet in a small town", &["personal_info: User is a vet in a small town"]),
    ("i work in a library", &["personal_info: User works in a library"]),
    ("i study law in Bologna", &["personal_info: User studies law in Bologna"]),
    ("i'm in my second year of nursing school", &["personal_info: User is in their second year of nursing school"]),
    ("i collect old maps", &["preference: User collects old maps"]),
    ("on weekends i restore motorbikes", &["preference: User restores motorbikes on weekends"]),
    ("my hobby is bookbinding", &["preference: User's hobby is bookbinding"]),
    ("i've been sober for four years", &["personal_info: User has been sober for four years"]),
    ("i have hearing aids", &["personal_info: User has hearing aids"]),
    ("i wear glasses", &["personal_info: User wears glasses"]),
    (
        "i need a step-free route, i walk with a cane",
        &["personal_info: User needs a step-free route", "preference: User walks with a cane"],
    ),
    ("mum died in march", &["experience: User's mum died in March"]),
    ("wife's pregnant, due in august", &["relationship: User's wife is pregnant"]),
    ("the kids are 6 and 9", &["relationship: User's kids are 6 and 9"]),
    ("dog is 12 now and half deaf", &["personal_info: User's dog is 12 now and half deaf"]),
    ("thursdays are my pottery night", &["preference: User's pottery night is Thursdays"]),
    ("when i lived in Peru we ate that every day", &["experience: User lived in Peru"]),
    ("spiders terrify me", &["personal_info: User is terrified of spiders"]),
    ("mornings aren't my thing", &["preference: User does not like mornings"]),
    ("name's Otis, nice to meet you", &["personal_info: User's name is Otis"]),
    ("the name is Bea", &["personal_info: User's name is Bea"]),
    ("two kids, one mortgage, no sleep", &["relationship: User has two kids"]),
    ("as a teacher i see this daily", &["personal_info: User is a teacher"]),
    ("being deaf, i rely on captions", &["personal_info: User is deaf"]),
    ("after my divorce i moved to Cork", &["experience: User moved to Cork"]),
    ("since my stroke i can't read long texts", &["skill: User cannot read long texts"]),
    ("my brother and i haven't spoken since 2015", &["experience: User has not spoken since 2015"]),
    ("my nan raised me", &["relationship: User's nan raised them"]),
    ("my son just got into Oxford!", &["relationship: User's son just got into Oxford"]),
    ("my wife and i run a guesthouse", &["personal_info: User runs a guesthouse"]),
    ("turning 50 in june and feeling it", &["personal_info: User is turning 50 in June"]),
    ("off to Japan in april for three weeks", &["goal: User is off to Japan in April for three weeks"]),
    ("booked flights to Lima for november", &["goal: User booked flights to Lima for November"]),
    ("all i want is to open a little bookshop someday", &["goal: User wants to open a little bookshop someday"]),
    ("what i really want is to write a novel", &["goal: User wants to write a novel"]),
    ("cilantro tastes like soap to me", &["preference: User finds that cilantro tastes like soap"]),
    ("Terry Pratchett is my favourite author", &["preference: User's favourite author is Terry Pratchett"]),
    ("Dune is my favourite book of all time", &["preference: User's favourite book is Dune"]),
    ("i passed my driving test on friday!!", &["experience: User passed their driving test on Friday"]),
    ("finally finished my thesis", &["experience: User finished their thesis"]),
    ("got the job at the aquarium!! start in may", &["experience: User got the job at the aquarium"]),
    ("signed up for a half marathon in october", &["goal: User signed up for a half marathon in October"]),
    ("i failed the bar exam twice", &["experience: User failed the bar exam twice"]),
    ("never learned to drive", &["skill: User never learned to drive"]),
    ("never been abroad", &["experience: User has never been abroad"]),
    ("can't swim so no boats", &["skill: User cannot swim"]),
    ("allergic to shellfish so not that place", &["personal_info: User is allergic to shellfish"]),
    ("vegan btw", &["preference: User is vegan"]),
    ("lactose intolerant here", &["personal_info: User is lactose intolerant"]),
    ("celiac, so no wheat", &["personal_info: User is celiac"]),
    ("32F from Ohio", &["personal_info: User is 32 years old"]),
    ("i'm a 29 year old nurse from Ohio", &["personal_info: User is a 29 year old nurse from Ohio"]),
    ("my ADHD makes long docs impossible", &["personal_info: User has ADHD"]),
    ("i live with chronic pain", &["personal_info: User lives with chronic pain"]),
    ("diagnosed with lupus in 2016", &["personal_info: User was diagnosed with lupus in 2016"]),
    ("i'm recovering from a knee operation", &["personal_info: User is recovering from a knee operation"]),
    ("my knee surgery is on the 14th", &["goal: User's knee surgery is on the 14th"]),
    ("i've been married for 12 years", &["relationship: User has been married for 12 years"]),
    ("we've been together since college", &["relationship: User has been together since college"]),
    ("widowed last spring", &["relationship: User was widowed last spring"]),
    ("i miss my late wife", &["relationship: User misses their late wife"]),
    (
        "i take care of my mother, she has dementia",
        &["relationship: User takes care of their mother", "relationship: User's mother has dementia"],
    ),
    ("english isn't my first language", &["skill: User's first language is not English"]),
    ("my native language is Tamil", &["skill: User's native language is Tamil"]),
    ("i'm fluent in Danish", &["skill: User is fluent in Danish"]),
    ("i majored in philosophy", &["experience: User majored in philosophy"]),
    ("i dropped out of med school", &["experience: User dropped out of med school"]),
    ("i went to art school in Glasgow", &["experience: User went to art school in Glasgow"]),
    ("i worked as a diver for eight years", &["experience: User worked as a diver for eight years"]),
    ("i spent my twenties in Berlin", &["experience: User spent their twenties in Berlin"]),
    ("i served in the navy", &["experience: User served in the navy"]),
    ("i ran my first marathon in Lisbon", &["experience: User ran their first marathon in Lisbon"]),
    ("i once met Bowie in a lift", &["experience: User once met Bowie in a lift"]),
    ("i nearly drowned as a kid", &["experience: User nearly drowned as a kid"]),
    ("i won a chess tournament when i was nine", &["experience: User won a chess tournament when they were nine"]),
    ("my dog died on sunday. fourteen years", &["experience: User's dog died on Sunday"]),
    (
        "got made redundant on friday after nine years there",
        &["experience: User got made redundant on Friday after nine years there"],
    ),
    ("i was made redundant in march", &["experience: User was made redundant in March"]),
    ("i've been off work with burnout since february", &["personal_info: User has been off work with burnout since February"]),
    ("my dad has dementia and yesterday he didn't know me", &["relationship: User's dad has dementia"]),
    ("we lost the baby in spring", &["experience: User lost the baby in spring"]),
    ("three years sober today", &["personal_info: User has been sober for three years"]),
    ("i'm three years sober", &["personal_info: User has been sober for three years"]),
    ("i'm estranged from my brother", &["relationship: User is estranged from their brother"]),
    ("my mum's in a hospice", &["relationship: User's mum is in a hospice"]),
    ("i get panic attacks in lifts", &["personal_info: User gets panic attacks in lifts"]),
    (
        "i've been having panic attacks since the accident",
        &["personal_info: User has been having panic attacks since the accident"],
    ),
    ("i'm on sertraline", &["personal_info: User is on sertraline"]),
    ("we buried gran on tuesday", &["experience: User buried gran on Tuesday"]),
    ("i can't have children", &["personal_info: User cannot have children"]),
    ("i had a miscarriage in march", &["experience: User had a miscarriage in March"]),
    ("been on antidepressants for two years", &["personal_info: User has been on antidepressants for two years"]),
    ("moved back in with my parents at 34", &["experience: User moved back in with their parents at 34"]),
    ("i start chemo on monday", &["goal: User starts chemo on Monday"]),
    ("i have stage fright", &["personal_info: User has stage fright"]),
    ("i'm afraid of flying", &["personal_info: User is afraid of flying"]),
    ("flying scares me to death", &["personal_info: User is scared of flying"]),
    ("i've got a fear of heights", &["personal_info: User has a fear of heights"]),
    ("i suffer from seasonal depression", &["personal_info: User suffers from seasonal depression"]),
    ("i'm an introvert so parties drain me", &["preference: User is an introvert"]),
    ("i find small talk exhausting", &["preference: User finds small talk exhausting"]),
    ("i live on my own since the split", &["personal_info: User has lived on their own since the split"]),
    ("i see a counsellor every two weeks", &["personal_info: User sees a counsellor every two weeks"]),
    ("i've started therapy", &["personal_info: User has started therapy"]),
    ("i was bullied at school", &["experience: User was bullied at school"]),
    ("my brother passed in 2019", &["experience: User's brother passed in 2019"]),
    ("i lost my job", &["experience: User lost their job"]),
    ("i failed my driving test for the third time", &["experience: User failed their driving test for the third time"]),
    ("i raised my two sisters after mum died", &["experience: User raised their two sisters", "experience: User's mum died"]),
    ("i'm a widow, it'll be five years in may", &["relationship: User is a widow"]),
    ("i hate my birthday", &["preference: User hates their birthday"]),
    ("i proposed to Lena on saturday and she said yes", &["relationship: User proposed to Lena on Saturday"]),
    ("we got engaged!", &["relationship: User got engaged"]),
    ("i'm getting married in the spring", &["goal: User is getting married in the spring"]),
    ("i'm going back to school in september", &["goal: User is going back to school in September"]),
    ("i got into the nursing program", &["experience: User got into the nursing program"]),
    ("we're adopting a greyhound", &["relationship: User is adopting a greyhound"]),
    ("i'm having surgery on my shoulder in april", &["goal: User is having surgery on their shoulder in April"]),
    ("i finally told my family i'm gay", &["personal_info: User is gay"]),
    ("i'm trans and just changed my name to Robin", &["personal_info: User is trans"]),
    ("i've a stutter, always have", &["personal_info: User has a stutter"]),
    ("i can't sleep without the radio on", &["preference: User cannot sleep without the radio on"]),
    ("i sleep with the light on", &["preference: User sleeps with the light on"]),
    ("baking calms me down", &["preference: User finds that baking calms them down"]),
    ("running keeps me sane", &["preference: User finds that running keeps them sane"]),
    ("i keep a diary", &["preference: User keeps a diary"]),
    ("i pray every night", &["preference: User prays every night"]),
    ("i'm religious", &["personal_info: User is religious"]),
    ("i was raised catholic but i don't believe anymore", &["experience: User was raised Catholic"]),
    ("i don't believe in god", &["preference: User does not believe in god"]),
    ("i'm the eldest of four sisters", &["relationship: User is the eldest of four sisters"]),
    ("i have a twin", &["relationship: User has a twin"]),
    ("both my kids are autistic", &["relationship: User's kids are autistic"]),
    ("my youngest is deaf", &["relationship: User's youngest is deaf"]),
    ("i share custody of my son", &["relationship: User shares custody of their son"]),
    ("i've lived in this flat for thirty years", &["personal_info: User has lived in this flat for thirty years"]),
    ("i've lived here all my life", &["personal_info: User has lived here all their life"]),
    ("we're moving house in june", &["goal: User is moving house in June"]),
    ("we just bought a house in Leith", &["personal_info: User bought a house in Leith"]),
    ("i rent a room above a bakery", &["personal_info: User rents a room above a bakery"]),
    ("i'm the head chef at a small place in Cork", &["personal_info: User is the head chef at a small place in Cork"]),
    ("i work two jobs", &["personal_info: User works two jobs"]),
    ("i work shifts at the airport", &["personal_info: User works shifts at the airport"]),
    ("i'm a nurse on a children's ward", &["personal_info: User is a nurse on a children's ward"]),
    ("i've been a nurse for 20 years and i still cry", &["skill: User has been a nurse for 20 years"]),
    ("i drive a school bus", &["personal_info: User drives a school bus"]),
    ("i'm on maternity leave till august", &["personal_info: User is on maternity leave till August"]),
    ("i'm retired, was a postman for forty years", &["personal_info: User is retired"]),
    ("used to teach, now i farm", &["experience: User used to teach"]),
    ("i'm studying for the bar", &["goal: User is studying for the bar"]),
    ("i'm in the last year of my phd", &["personal_info: User is in the last year of their PhD"]),
    ("i'm writing my thesis on moss", &["goal: User is writing their thesis on moss"]),
    ("i dropped out in second year", &["experience: User dropped out in second year"]),
    ("i learned to swim at fifty", &["skill: User learned to swim at fifty"]),
    ("i taught myself guitar during lockdown", &["skill: User taught themselves guitar during lockdown"]),
    ("i can play three chords", &["skill: User can play three chords"]),
    ("i know how to sail", &["skill: User knows how to sail"]),
    ("i speak spanish at home", &["skill: User speaks Spanish at home"]),
    ("we speak welsh at home", &["skill: User speaks Welsh at home"]),
    ("i'm rubbish at maths", &["skill: User is rubbish at maths"]),
    ("i'm ok at chess, about 1600", &["skill: User is ok at chess"]),
    ("i'm learning sign language for my niece", &["skill: User is learning sign language for their niece"]),
];

/// What no frame knows by its words, found by the linear model. None of these stands in its training text.
const UNLISTED: &[(&str, &str)] = &[
    ("i chauffeur a retired judge around the county", "personal_info: User chauffeurs a retired judge around the county"),
    ("my son juggles knives for a living", "relationship: User's son juggles knives for a living"),
    ("i yodel in a folk group", "preference: User yodels in a folk group"),
    ("we're swapping our house for a barge in the autumn", "goal: User is swapping their house for a barge in the autumn"),
    ("i was evicted from my studio in april", "experience: User was evicted from their studio in April"),
];

/// Sentences that were once rewritten into none: each stands for a class.
const MENDED: &[(&str, &[&str])] = &[
    // The present of a foreign speaker, for what began and lasts.
    ("since the autumn i work in Elixir", &["personal_info: User has worked in Elixir since the autumn"]),
    // What follows "so" is a clause of its own.
    ("i use a braille display so long tables are painful", &["preference: User uses a braille display"]),
    // A passive whose "was" went with the subject.
    ("made redundant in june after nine years", &["experience: User was made redundant in June after nine years"]),
    // Callings without subject, verb and article.
    ("web developer by day, and a decent one", &["personal_info: User is a web developer by day"]),
    ("dad to two teenage girls", &["relationship: User is a dad to two teenage girls"]),
    ("total beginner with spreadsheets", &["skill: User is a total beginner with spreadsheets"]),
    // A negated verb that no list knows.
    ("i don't touch docker", &["preference: User does not touch Docker"]),
    ("i don't iron shirts", &["preference: User does not iron shirts"]),
    // A clitic behind a noun of the complement is a genitive.
    ("i start at a cabinet maker's on the 4th", &["goal: User starts at a cabinet maker's on the 4th"]),
    // The other half of a separation is the partner.
    ("we broke up in january", &["relationship: User and their partner broke up in January"]),
    // A subject turned round takes its verb along.
    ("spy novels are my comfort food", &["preference: User's comfort food is spy novels"]),
    ("carving spoons has been my hobby for ten years", &["preference: User's hobby has been carving spoons for ten years"]),
    // A state that looks like an event.
    ("newly widowed", &["relationship: User is widowed"]),
    // What is said in another language is left unread.
    ("ich habe seit fünf Jahren kein Auto", &[]),
    ("Ich mag nicht fliegen", &[]),
    ("Je parle de politique", &[]),
    ("Jag bor i Malmö med min fru och arbetar som lärare", &[]),
    ("मैं अस्पताल के पास में काम करती हूँ", &[]),
    // What another sentence names, and half a sentence.
    ("i move money over the same day", &[]),
    ("being a mum is hard", &[]),
    ("starting a bakery takes nerve", &[]),
    // A request without its comma does not swallow the statement.
    ("since i don't eat gluten can you swap the flour", &["preference: User does not eat gluten"]),
];

/// Messages from which nothing may be proposed.
const NOTHING: &[&str] = &[
    "my cousin in Perth sold everything and bought a vineyard. he's never made wine in his life. his wife is a dentist",
    "so my neighbour, retired, 70 something, learning the drums. every night. he says he always wanted to be in a band",
    "my boss is vegan and she has three horses",
    "the woman next door has 14 cats and used to be an opera singer",
    "he told me i'm the best cook he knows, he has a restaurant in Nice",
    "my uncle used to be a boxer, lost an eye, moved to Spain, married twice, runs a bar now",
    "met a guy on the train. lives in a lighthouse, has two degrees, never owned a phone",
    "dad's story again: \"i was born in a barn\". he was not",
    "my mate Dave is getting divorced and moving to Thailand",
    "our landlord lives in Malta and owns nine flats",
    "her husband is a pilot and they have four kids. i felt so small",
    "my colleague's son plays cello, he's won prizes",
    "oh great, i love being on hold for an hour",
    "yeah right, i'm the queen of england",
    "if i won the lottery i'd buy an island",
    "what if i moved to Spain?",
    "do i have a peanut allergy?",
    "can you remind me where i live",
    "i wonder if i should move to Leeds",
    "let's pretend i'm a pirate and you're the parrot. i have nine wives",
    "she told me she lives in Rome and has two dogs",
    "my friend wrote: \"i am a surgeon and i own three cars\"",
    "i'm tired",
    "i'm starving and late",
    "i'm so sorry",
    "i need a refund for order 1234",
    "i want to cancel my subscription",
    "i have a question about my bill",
    "i have a meeting at 3",
    "i'm in the bath right now",
    "i don't know",
    "thanks, you're a star",
    "hello Nova!",
    "i think the cache is stale",
    "i ran the tests and they failed",
    "i installed the update yesterday",
    "i get an error when i click save",
    "write a poem about a man who says i was born at sea",
    "he goes i'm a pilot, i own a vineyard, i speak nine languages",
    "the woman at the bus stop, four kids, breeds alpacas, moved here from Malta",
    "i wish i had a garden",
    "say i'm a doctor with three kids",
    "i'm dead lol",
    "i could eat a horse",
    "my boss says i'm useless",
    "as if i owned a yacht",
    "i'd buy a boat if i were rich",
    "does my sister live in Oslo?",
    "the tool i use is broken",
    "i love when the train is cancelled",
    "living the dream, i adore mondays",
    "my phone is dead",
    "my mum is calling",
    "i'm on my way",
    "i rinsed the filter and it still drips",
    "my validator rejects every payload",
    "i renamed both branches before lunch",
    "my sprite flickers when it lands",
    "chef in a hurry",
    "dentist at 3",
    "i've swapped the fuse twice",
    "i'm humming that tune now",
    "we're colour coding the legend",
    "i'm touched that you asked",
    "let's say i breed ponies for a living",
    "\"i breed ponies for a living\", says the heroine",
];

#[test]
fn statements_become_true_sentences_about_their_speaker() {
    let wrong: Vec<String> = STATEMENTS
        .iter()
        .filter(|(text, expect)| contents(text) != *expect)
        .map(|(text, expect)| format!("{text:?} gives {:?} and not {expect:?}", contents(text)))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_no_frame_knows_is_found_by_the_linear_model() {
    let wrong: Vec<String> = UNLISTED
        .iter()
        .filter(|(text, expect)| !learned(text).contains(&(*expect).to_owned()))
        .map(|(text, expect)| format!("{text:?} gives {:?} and not {expect:?}", contents(text)))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // What a frame knows is left to the frame, so the list above cannot pass without the model.
    assert!(learned("i live in Ghent").is_empty());
}

#[test]
fn classes_once_rewritten_badly_read_as_sentences() {
    let wrong: Vec<String> = MENDED
        .iter()
        .filter(|(text, expect)| contents(text) != *expect)
        .map(|(text, expect)| format!("{text:?} gives {:?} and not {expect:?}", contents(text)))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_states_nothing_about_its_speaker_proposes_nothing() {
    let wrong: Vec<String> = NOTHING
        .iter()
        .filter(|text| !contents(text).is_empty())
        .map(|text| format!("{text:?} gives {:?}", contents(text)))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
