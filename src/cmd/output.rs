//! What a command answers: text for people and data for machines, painted by the front ends.

/// The meaning of a piece of text; themes turn it into colours.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Tone {
    /// Ordinary text.
    #[default]
    Plain,
    /// Names of keys and columns.
    Key,
    /// Numbers and values.
    Value,
    /// Addresses, offsets, sequence numbers.
    Place,
    /// Opcode names.
    Op,
    /// Less important.
    Dim,
    /// As it should be.
    Good,
    /// Worth a look.
    Warn,
    /// Wrong.
    Bad,
}

/// A run of text in one tone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Piece {
    /// Meaning.
    pub tone: Tone,
    /// The text, without line breaks.
    pub text: String,
}

/// One line of text.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Line(pub Vec<Piece>);

impl Line {
    /// A line in plain tone.
    pub fn plain(text: impl Into<String>) -> Line {
        Line::toned(Tone::Plain, text)
    }

    /// A line in one tone.
    pub fn toned(tone: Tone, text: impl Into<String>) -> Line {
        Line::default().then(tone, text)
    }

    /// `key: value`, the form of batch output.
    pub fn pair(key: impl Into<String>, value: impl Into<String>) -> Line {
        Line::toned(Tone::Key, key)
            .then(Tone::Plain, ": ")
            .then(Tone::Value, value)
    }

    /// Appends a piece.
    #[must_use]
    pub fn then(mut self, tone: Tone, text: impl Into<String>) -> Line {
        self.0.push(Piece {
            tone,
            text: text.into(),
        });
        self
    }

    /// The text without tones.
    pub fn text(&self) -> String {
        self.0.iter().map(|p| p.text.as_str()).collect()
    }
}

/// Structured value, painted as JSON.
#[derive(Clone, PartialEq, Debug, Default)]
pub enum Data {
    /// Nothing.
    #[default]
    Null,
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(i128),
    /// A float; NaN and infinities are painted as strings.
    Float(f64),
    /// Text.
    Str(String),
    /// A list.
    List(Vec<Data>),
    /// An object; order is kept.
    Map(Vec<(&'static str, Data)>),
}

impl Data {
    /// Text.
    pub fn str(text: impl Into<String>) -> Data {
        Data::Str(text.into())
    }
}

macro_rules! data_from {
    ($($ty:ty),*) => {$(
        impl From<$ty> for Data {
            fn from(v: $ty) -> Data {
                Data::Int(i128::from(v))
            }
        }
    )*};
}
data_from!(u8, u16, u32, u64, i32, i64);

impl<T: Into<Data>> From<Option<T>> for Data {
    fn from(v: Option<T>) -> Data {
        v.map_or(Data::Null, Into::into)
    }
}

impl From<bool> for Data {
    fn from(v: bool) -> Data {
        Data::Bool(v)
    }
}

impl From<String> for Data {
    fn from(v: String) -> Data {
        Data::Str(v)
    }
}

impl From<&str> for Data {
    fn from(v: &str) -> Data {
        Data::Str(v.to_owned())
    }
}

impl<T: Into<Data>> From<Vec<T>> for Data {
    fn from(v: Vec<T>) -> Data {
        Data::List(v.into_iter().map(Into::into).collect())
    }
}

/// The answer of a command.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Output {
    /// For people.
    pub lines: Vec<Line>,
    /// For machines.
    pub data: Data,
}

impl Output {
    /// Nothing to say.
    pub fn none() -> Output {
        Output::default()
    }

    /// Lines and their data.
    pub fn new(lines: Vec<Line>, data: Data) -> Output {
        Output { lines, data }
    }
}
