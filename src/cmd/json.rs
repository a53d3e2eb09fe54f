//! Structured data as JSON (interface §4).

use serde_json::{Map, Number, Value};

use super::output::Data;

/// The JSON value; NaN and infinities become the strings `"nan"`, `"inf"`, `"-inf"`. Integers are
/// exact up to 64 bits, wider ones are strings.
pub fn value(data: &Data) -> Value {
    match data {
        Data::Null => Value::Null,
        Data::Bool(b) => Value::Bool(*b),
        Data::Int(i) => u64::try_from(*i)
            .map(Number::from)
            .or_else(|_| i64::try_from(*i).map(Number::from))
            .map_or_else(|_| Value::String(i.to_string()), Value::Number),
        Data::Float(f) => Number::from_f64(*f)
            .map_or_else(|| Value::String(special(*f).to_owned()), Value::Number),
        Data::Str(s) => Value::String(s.clone()),
        Data::List(items) => Value::Array(items.iter().map(value).collect()),
        Data::Map(entries) => {
            let mut map = Map::new();
            for (k, v) in entries {
                map.insert((*k).to_owned(), value(v));
            }
            Value::Object(map)
        }
    }
}

/// One line of JSON.
pub fn line(data: &Data) -> String {
    value(data).to_string()
}

fn special(f: f64) -> &'static str {
    if f.is_nan() {
        "nan"
    } else if f > 0.0 {
        "inf"
    } else {
        "-inf"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_specials() {
        let d = Data::Map(vec![
            ("a", Data::Int(i128::from(u64::MAX))),
            ("b", Data::Int(-1)),
            ("c", Data::Float(f64::NAN)),
            ("d", Data::Float(f64::NEG_INFINITY)),
            (
                "e",
                Data::List(vec![Data::Null, Data::Bool(true), Data::Float(0.5)]),
            ),
        ]);
        assert_eq!(
            line(&d),
            r#"{"a":18446744073709551615,"b":-1,"c":"nan","d":"-inf","e":[null,true,0.5]}"#
        );
    }
}
