//! Which known name was probably meant.

/// The known name that is nearest to `name`, if one is near enough to be a slip of the finger.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let requested = name.to_lowercase();
    let scored = known.into_iter().map(|k| (score(&requested, &k.to_lowercase()), k)).filter(|(score, _)| *score > 0.7);
    // of equally near ones the shortest
    scored.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.len().cmp(&a.1.len()))).map(|(_, k)| k)
}

/// From 0 (nothing in common) to 1 (equal).
fn score(name: &str, known: &str) -> f64 {
    // the beginning of a long name is as good as a slip
    let begins = name.len() >= 3 && known.starts_with(name);
    strsim::normalized_damerau_levenshtein(name, known).max(if begins { 0.9 } else { 0.0 })
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn slips_are_found_and_other_words_are_not() {
        let known = ["lanes", "max_length", "oaken_quantizer_p16", "oaken_quantizer_p1"];
        assert_eq!(nearest("lane", known), Some("lanes"));
        assert_eq!(nearest("max_lenght", known), Some("max_length"));
        assert_eq!(nearest("Oaken_quantiser_p16", known), Some("oaken_quantizer_p16"));
        assert_eq!(nearest("oaken_quantizer_p", known), Some("oaken_quantizer_p1"));
        assert_eq!(nearest("depth", known), None);
        assert_eq!(nearest("", known), None);
    }
}
