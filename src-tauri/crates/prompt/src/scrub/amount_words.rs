//! Word lists for amounts of money: symbols, codes, names, scales and number words.

/// Currency signs, which may come before or after the number.
pub(super) const SYMBOLS: &str = "$€£¥₹₩₽₺₫₪₦₱฿₴₡₲₵₸₼₾₿¢₭₮₤₨₧₢₳₥₰₯₠﷼₣₷₶";

word_sets! {
    /// ISO 4217 codes and common short forms that mean money next to any number, in any case.
    CODES = "
        usd eur gbp chf jpy inr cad aud nzd sek nok dkk pln czk huf rub cny rmb hkd sgd krw brl mxn zar ils aed btc eth usdt
        usdc thb idr myr php vnd twd uah ngn kes ghs egp sar qar kwd bhd pkr bdt lkr clp uyu pyg xof xaf bgn hrk rsd isk kzt
        eurs tl zł kč sfr ntd sats gbx
    ";

    /// Codes that are also words or other abbreviations ("COP 28", "TRY 5 times"). They are recognized only in capitals and
    /// next to a large enough number.
    RISKY_CODES = "
        TRY COP PEN MAD RON GEL SOS CUP TOP MOP BOB DOP ARS MUR XAU AMD ANG BAM ETB UGX TZS
    ";

    /// Currency words that appear only before a number.
    PREFIX_WORDS = "
        rs rs. fr fr. sfr. kr kr. rp rp. rm ksh bs s/ ₨ nt dm lei
    ";

    /// Currency words that appear after a number, as whole words in lowercase.
    SUFFIX_WORDS = "
        dollar dollars euro euros bucks buck quid cent cents pence penny pennies sterling rupee rupees paise yen yuan renminbi
        franc francs franken rappen centime centimes kronor kroner krona krone kronen koruna korun koruny ruble rubles rouble
        roubles hryvnia hryvnias forint forints zloty zlotys złoty złotych baht ringgit rupiah naira peso pesos shekel shekels
        dirham dirhams dinar dinars riyal riyals lira liras lire reais bitcoin bitcoins satoshi satoshis dólar dólares dolares
        dollari libras franchi kr kr. ft fr. rs rs. руб рублей рубля рубль евро долларов доллара доллар гривен 円 arr mrr teur tchf tusd ドル ユーロ 元 원 块 万円 亿元
        万元 億円 dong dongs guilders gulden shilling shillings rand markka leva p/m
    ";

    /// Words that mean money or a weight, depending on the surrounding words.
    POUND_WORDS = "
        pound pounds livres
    ";

    /// Words around "20 pounds" that show that the phrase is a weight, not money.
    WEIGHT_WORDS = "
        lost lose losing gained gain gaining weigh weighs weighed weighing lift lifted lifting bench benched deadlift squat
        dropped shed heavier lighter overweight underweight weight of per lbs pull carry weighted
    ";

    /// Scales up to trillions, after a number: "2 million", "1,2 Mio.", "5 lakh".
    SCALES = "
        k m b t mm mn mln mil mio mio. mrd mrd. mia mia. bn bln tn trn cr tsd tsd. hundred thousand thousands million millions
        billion billions trillion trillions lakh lakhs lac lacs crore crores hundert tausend millionen milliarde milliarden
        billionen mille milliard milliards millón millon millones mila milione milioni miliardi miljoen miljard milhão milhões
        тыс тыс. млн млрд тысяч миллион миллионов 万 億 亿 千 만 억
    ";

    /// Indian scales and "grand". They indicate money by themselves unless people or things are counted.
    MONEY_SCALES = "
        lakh lakhs lac lacs crore crores grand
    ";

    /// Things other than rupees that are counted in lakhs and crores, and nouns that "grand" may describe.
    COUNTED = "
        people users voters views followers students households families lines rows copies subscribers downloads visitors
        cases jobs customers members tonnes tons km kilometers litres liters women men children farmers devotees pilgrims
        passengers seats vehicles doses persons units piano pianos slam slams prix finals tour openings total hotels master
        masters years records messages
    ";

    /// Adjectives between a number and its currency.
    CURRENCY_ADJECTIVES = "
        us u.s. us- american canadian australian singapore hong kong new zealand british swiss indian mexican brazilian
        norwegian swedish danish czech turkish chinese japanese egyptian taiwan of de d di schweizer amerikanische argentine
        colombian chilean philippine russian ukrainian polish saudi uae emirati
    ";

    /// Words that may follow an amount written in words. Matched only as whole words.
    MONEY_WORDS = "
        dollar euro pound buck quid grand rupee lakh crore franc franken yen yuan krone kronor peso ruble rouble shekel dirham
        zloty bitcoin cent pence dólar dolares libras рублей долларов евро sterling reais usd eur gbp chf inr
    ";

    /// Parts of number words in English, German, French, Spanish and Russian. German joins them without spaces.
    NUMBER_PIECES = "
        one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
        nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred hundreds thousand thousands million millions
        billion billions trillion lakh lakhs crore crores dozen ein eins eine einer zwei drei vier fünf sechs sieben acht neun
        zehn elf zwölf sech sieb zwanzig dreißig dreissig vierzig fünfzig sechzig siebzig achtzig neunzig hundert tausend
        millionen milliarde milliarden deux trois quatre cinq sept huit neuf dix onze douze quinze vingt vingts trente
        quarante cinquante soixante cent cents mille milliard milliards dos tres cuatro cinco seis siete ocho nueve diez once
        doce veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa cien ciento mil millón millones два три четыре
        пять десять сто тысяч тысяча миллион миллиона миллионов двадцать пятьдесят
    ";

    /// Words that connect number words but are not numbers themselves.
    NUMBER_LINKS = "
        and a an of half couple few several point und et y de d' un une quarter some us hard cold cool или
    ";

    /// Nouns and verbs about money. With them, an amount needs no currency: "my salary is 85k".
    MONEY_NOUNS = "
        salary salaries wage wages revenue revenues income budget rent mortgage bonus price cost costs fee fees loan debt
        debts valuation turnover profit savings worth funding raised raise paid pay pays earn earns earned earning owe owes
        owed arr mrr tc gehalt miete umsatz lohn kredit schulden kosten sueldo salario alquiler salaire loyer deal invoice
        spent spend spending invested compensation payout deposit
    ";

    /// Words that may come between such a noun and its number.
    NOUN_LINKS = "
        is was of to a about around approx approximately roughly at from only just now nearly almost currently up over under
        ist beträgt war von sind etwa ca circa rund are were for me him her us them by es de est another an above below than
        more less out
    ";
}
