//! Nouns and adjectives: kin, animals, illnesses, trades, belongings, traits.

use super::words;

words! {
    /// People one has.
    KIN = "wife husband partner spouse fiance fiancé fiancee fiancée girlfriend boyfriend gf bf missus hubby ex ex-wife ex-husband son
        sons daughter daughters kid kids child children baby toddler twins triplets boy boys girl girls stepson stepdaughter stepsons stepdaughters
        stepkids stepdad stepmum stepmom brother brothers sister sisters sibling siblings sis bro twin mum mom mother mam mama dad father papa parents parent
        grandma grandmother gran nan nana nanna granny grandpa grandfather grandad granddad grandparents grandson granddaughter
        grandkids grandchildren grandchild nephew nephews niece nieces uncle uncles aunt aunts auntie cousin cousins godson goddaughter
        godmother godfather godchild in-laws mother-in-law father-in-law brother-in-law sister-in-law half-brother half-sister
        stepbrother stepsister stepfather stepmother teenager teenagers teen teens family great-grandmother great-grandfather great-aunt great-uncle eldest
        youngest oldest other-half stepchildren foster-son";
    /// Friends and people of work.
    ASSOCIATE = "friend friends bestie mate flatmate flatmates roommate roommates housemate housemates neighbour neighbor boss manager
        mentor coach teacher colleague coworker co-worker therapist doctor landlord landlady lodger tenant buddy pal bandmate
        co-founder cofounder supervisor student apprentice";
    /// Animals one keeps.
    PETS = "dog dogs cat cats puppy puppies kitten kittens rabbit rabbits bunny bunnies hamster hamsters guinea-pig parrot parrots budgie
        budgies cockatiel canary canaries horse horses pony ponies donkey donkeys goat goats sheep alpaca alpacas llama llamas hen hens chicken
        chickens duck ducks goose geese tortoise tortoises turtle turtles gecko geckos snake snakes lizard lizards ferret ferrets rat rats mouse
        fish goldfish hedgehog chinchilla gerbil gerbils axolotl axolotls tarantula bees beehive beehives pig pigs cow cows labrador lab
        retriever spaniel terrier greyhound whippet collie poodle dachshund corgi husky beagle pug mutt mongrel tabby siamese kelpie
        lurcher bulldog chihuahua shepherd tomcat pets pet iguana frog frogs newt newts pigeons pigeon quail quails mare gelding foal bird birds";
    /// Illnesses, conditions and other matters of the body.
    HEALTH = "allergy allergies asthma diabetes adhd add autism asd insomnia migraine migraines epilepsy arthritis eczema psoriasis
        hayfever hay-fever coeliac celiac crohn's crohns ibs endometriosis pcos tinnitus vertigo anxiety depression ptsd ocd dyslexia dyspraxia
        dyscalculia phobia anaemia anemia hypertension scoliosis sciatica lupus ms fibromyalgia cancer leukaemia pacemaker prosthesis prosthetic
        stammer stutter cataracts glaucoma glasses narcolepsy sleep-apnoea apnoea gout vitiligo rosacea reflux gerd thyroid hypothyroidism
        bipolar schizophrenia tourette's tourettes synaesthesia synesthesia aphantasia colour-blindness intolerance disability
        hearing-aid hearing-aids astigmatism condition disorder syndrome disease hernia arrhythmia murmur rheumatism hip knee knees back
        shoulder panic fright dementia burnout claustrophobia sinusitis ulcer ulcers kidney stoma cochlear braces implant neuropathy raynaud's agoraphobia claustrophobia arachnophobia eyesight hearing-loss lymphoma sarcoidosis hyperthyroidism eczema";
    /// Things worth knowing that somebody owns.
    BELONGINGS = "car cars bike bikes bicycle motorbike motorcycle moped scooter van campervan camper caravan motorhome boat boats
        narrowboat sailboat kayak canoe house flat apartment cottage cabin allotment garden greenhouse balcony farm smallholding orchard
        vineyard workshop studio shed garage basement piano guitar guitars violin cello banjo ukulele drums accordion trumpet sax saxophone flute
        harp bass synth synths synthesizer telescope camera cameras kiln loom lathe laptop macbook desktop pc server servers homelab nas printer
        tv telly television typewriter typewriters collection record records vinyl library bookshop shop cafe café restaurant bakery business
        company startup practice salon gallery pub bar brewery hotel guesthouse b&b airbnb tattoo tattoos piercing piercings motorhome
        tractor horsebox surfboard skateboard sauna pool hot-tub record-player turntable raspberry pi pis arduino arduinos board boards
        iphone ipad pixel android phone thinkpad chromebook kindle ps5 xbox switch console telescope drone drones jukebox pinball sewing-machine hives
        plants houseplants succulents cacti bonsai aquarium tank terrarium mortgage pension blog podcast channel newsletter website degree
        phd doctorate masters master's bachelor's diploma mba licence license certificate gcse qualification citizenship passport visa
        season-ticket membership smartphone monitors monitor screens freezer microwave dishwasher motor trailer hearing tortoise synthesiser keyboard keyboards anvil oven stove";
    /// Training one holds.
    DEGREES = "degree phd doctorate masters master's master bachelor's bachelor diploma mba licence license certificate qualification";
    /// Nouns after "I'm a …" that are trades though no ending tells.
    TRADES = "nurse chef cook aider vet doc doctor dentist surgeon physio pilot captain soldier sailor marine cop clerk judge monk nun priest vicar rabbi imam
        pastor deacon coach guide host actress waitress waiter seamstress tailor cobbler blacksmith carpenter joiner plumber electrician
        mechanic architect accountant lawyer solicitor barrister paralegal student undergrad postgrad postdoc grad fresher sophomore
        freshman intern apprentice trainee temp freelancer contractor dev developer sysadmin engineer programmer analyst consultant
        scientist researcher professor lecturer teacher ta tutor translator interpreter writer author poet editor journalist reporter
        blogger artist painter sculptor potter weaver luthier musician drummer guitarist bassist singer dj producer composer
        conductor dancer choreographer actor director dramaturg photographer filmmaker animator illustrator designer florist
        gardener farmer beekeeper fisherman forester ranger arborist vintner brewer distiller baker butcher grocer barista bartender treasurer chair chairman chairwoman chairperson president organiser organizer
        sommelier cheesemonger fishmonger confectioner cabbie driver trucker courier postie postman postwoman signalman lollipop
        conductor stewardess steward attendant firefighter fireman paramedic midwife doula carer caregiver nanny childminder au-pair
        cleaner janitor caretaker porter concierge receptionist secretary pa librarian archivist curator historian archaeologist
        geologist biologist chemist physicist mathematician statistician economist psychologist therapist counsellor counselor
        optician optometrist pharmacist radiographer phlebotomist hairdresser barber beautician stylist locksmith glazier roofer
        plasterer bricklayer welder machinist miner rigger surveyor planner realtor estate-agent trader banker broker actuary auditor
        bookkeeper cashier salesman saleswoman salesperson rep recruiter manager director ceo cto cfo founder co-founder cofounder owner
        landlord landlady lodger widow widower orphan twin mother father mum mom dad parent grandmother grandfather grandma grandpa gran nan
        uncle aunt auntie pensioner retiree veteran vegan vegetarian pescatarian christian muslim jew jewish hindu buddhist sikh catholic
        quaker atheist agnostic lesbian diabetic coeliac celiac asthmatic epileptic insomniac stay-at-home homemaker housewife househusband
        immigrant emigrant expat refugee migrant citizen resident local native londoner parisian berliner mentor volunteer umpire referee scout
        organist pianist violinist cellist flautist harpist oboist clarinettist trumpeter bellringer bell-ringer campanologist puppeteer
        magician clown juggler acrobat stuntman falconer stonemason mason thatcher saddler farrier blacksmith upholsterer bookbinder worker
        typesetter printer engraver jeweller jeweler goldsmith silversmith sre dba cto smith celebrant watchmaker clockmaker tattooist undertaker mortician
        embalmer coroner detective bailiff magistrate mayor councillor diplomat translator copywriter proofreader ghostwriter
        screenwriter playwright novelist lexicographer linguist sociologist anthropologist meteorologist oceanographer astronomer
        astronaut botanist zoologist entomologist ornithologist zookeeper dietitian nutritionist chiropractor osteopath podiatrist
        anaesthetist anesthetist oncologist cardiologist neurologist paediatrician pediatrician gp psychiatrist lifeguard instructor
        trainer ironmonger draughtsman foreman builder roadie technician operator fitter scaffolder sexton verger busker streamer
        gamer runner cyclist swimmer climber hiker surfer skier sailor rower diver golfer boxer fencer goalkeeper goalie striker";
    /// Nouns by which "I'm a … person" states a liking.
    DEVOTEES = "fan lover addict person snob nerd buff enthusiast guy girl gal geek fanatic aficionado devotee junkie type man woman drinker eater
        owl bird homebody introvert extrovert minimalist perfectionist collector reader nut freak believer teetotaller teetotaler foodie
        hoarder bookworm gamer purist convert user supporter follower";
    /// Nouns after "I'm a …" that jest, scold or pass.
    JESTS = "mess wreck idiot bit lot genius disaster failure fool monster zombie joke liar burden star dead saint ghost machine legend moron
        clown potato puddle disgrace hypocrite coward nightmare hero god goddess queen king pope princess robot bot ai model week day minute
        second month hundred thousand million little few while sucker dork dummy loser wizard ninja rockstar guru god-send cat dog
        horse fish customer victim person human kid child adult grown-up newbie noob customer user stranger guest visitor member passenger witch vampire
        dragon knight goblin pirate elf wreckage shell walking total complete absolute perfectly puddle professional grown
        murderer criminal psychopath killer player tourist caller";
    /// Traits after "I'm …" that last.
    TRAITS_PERSONAL = "allergic intolerant diabetic coeliac celiac asthmatic epileptic autistic dyslexic dyspraxic deaf blind
        colourblind colorblind colour-blind color-blind short-sighted nearsighted long-sighted farsighted left-handed right-handed lefthanded
        ambidextrous neurodivergent adhd bipolar anaemic anemic hypermobile claustrophobic agoraphobic arachnophobic retired unemployed
        self-employed freelance jobless redundant gay bi bisexual lesbian straight queer trans transgender nonbinary non-binary asexual pansexual
        jewish muslim christian catholic hindu buddhist sikh atheist agnostic protestant orthodox lutheran mormon quaker presbyterian
        british english scottish welsh irish french german spanish italian portuguese dutch belgian swiss austrian polish
        czech slovak hungarian romanian bulgarian greek turkish russian ukrainian belarusian lithuanian latvian estonian finnish swedish
        norwegian danish icelandic american canadian mexican brazilian argentinian argentine chilean colombian peruvian venezuelan
        cuban jamaican haitian australian indian pakistani bangladeshi nepali chinese japanese korean vietnamese thai filipino
        indonesian malaysian singaporean taiwanese iranian persian iraqi syrian lebanese israeli palestinian egyptian moroccan algerian
        tunisian nigerian ghanaian kenyan ethiopian somali ugandan zimbabwean african european asian serbian croatian bosnian
        slovenian albanian macedonian georgian armenian kurdish basque catalan sri maltese cypriot pregnant expecting adopted orphaned
        homeless bald tall paraplegic sober lactose-intolerant gluten-intolerant lactose partially-sighted visually hard-of-hearing widowed
        phobic religious dyscalculic hard-of-hearing immunocompromised disabled sixty-ish";
    /// Traits about diet and taste.
    TRAITS_PREFERENCE = "vegan vegetarian veggie pescatarian teetotal plant-based kosher halal gluten-free keto flexitarian nocturnal
        introverted extroverted coffee-free";
    /// Traits about ties.
    TRAITS_TIES = "married divorced single engaged widowed separated childless child-free childfree polyamorous newlywed dating";
    /// Adjectives before `of` that name a fear.
    FEARS = "afraid scared terrified frightened petrified phobic";
    /// Adjectives before `at`/`with` that name an ability.
    ABILITIES = "good great bad terrible hopeless rubbish decent useless awful excellent skilled amazing proficient brilliant ok okay lousy
        handy competent fluent shit crap rusty better best trained certified qualified experienced";
    /// Adjectives before a preposition that name a liking.
    FONDNESS = "keen fond obsessed addicted crazy interested mad passionate partial hooked nuts enamoured";
    /// States that pass.
    PASSING = "tired hungry starving sick ill late busy bored sad happy stuck lost confused sorry fine ok okay back here home ready done sure
        glad knackered exhausted hungover cold hot wet freezing nervous anxious worried excited angry mad annoyed furious stressed
        overwhelmed awake asleep sleepy thirsty full drunk tipsy dizzy nauseous poorly dead dying broke early free available out off away
        grateful thankful curious aware certain positive upset devastated heartbroken crying shaking fuming livid speechless proud
        jealous embarrassed ashamed relieved surprised shocked impressed unsure ok-ish feverish jetlagged jet-lagged wrecked shattered
        frustrated disappointed miserable lonely";
    /// Events of one's life that `the X is on …` dates.
    EVENTS = "wedding exam exams surgery operation move defence defense viva graduation marathon race launch recital baby due-date audition
        interview housewarming anniversary christening baptism bar-mitzvah hearing deadline thesis dissertation trial procedure scan
        citizenship test course semester term competition tournament exhibition show gig concert performance premiere party funeral";
    /// Nouns counted that say nothing about a person.
    PASSING_COUNTS = "minutes minute hours hour days day weeks seconds questions question errors error tabs tab options option problems problem
        meetings meeting emails email messages message files file tests test rows row columns column things thing issues issue times time
        ideas idea calls call lines line items item pages page tickets ticket cores gb mb percent % pounds dollars euros quid bugs
        warnings reasons reason words word left months month versions branches commits nodes replicas attempts doubts comments slots deadlines choices points point";
    /// Nouns after "I have a …" that pass or say nothing.
    PASSING_HAVINGS = "question questions issue issues problem problems meeting meetings idea ideas doubt doubts feeling headache cold fever cough
        look go chat call minute moment error bug hunch hope choice lot bit thing things favour request complaint suggestion
        point deal day time plan reason theory clue list file folder script function method class table table query string array
        spreadsheet document draft letter quote email message ticket order parcel package delivery refund balance bill
        deadline presentation couple few guess nerve fit go crush hangover temperature sore nightmare dream
        update version token key link row column field branch commit loop variable test tests build endpoint api container cluster
        way right chance say blast laugh word smile think pop nap bath shower drink coffee sandwich break stroke drawer bunch ton load";
}
