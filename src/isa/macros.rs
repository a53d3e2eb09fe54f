//! The two macros of the instruction tables: `wire_enum!` and `formats!`.
//!
//! Their output is plain newtypes, const slices and typed views; everything else (printing,
//! explaining, completion, checks) is ordinary code looping over the tables.

/// Declares enumerations of the wire as newtypes that keep undefined values. They are one byte
/// wide unless `bits N` follows the wire name; `open` before it says that values without a
/// published name exist.
macro_rules! wire_enum {
    ($($(#[doc = $doc:literal])+ $name:ident = $($open:ident)? $wire:literal $(bits $bits:literal)? { $($member:ident = $value:literal),+ $(,)? })+) => {$(
        $(#[doc = $doc])+
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub struct $name(pub u8);

        #[allow(non_upper_case_globals, reason = "the vendor spells function names in lower case")]
        impl $name {
            $(#[doc = concat!("`", stringify!($member), "` = ", stringify!($value))]
            pub const $member: $name = $name($value);)+
            /// Names and values.
            pub const DESC: $crate::isa::field::EnumDesc = $crate::isa::field::EnumDesc {
                name: $wire,
                values: &[$(($value, stringify!($member))),+],
                open: formats!(@flag open $($open)?),
            };
            /// Is the value a member?
            pub fn is_defined(self) -> bool {
                Self::DESC.name_of(self.0).is_some()
            }
        }

        impl $crate::isa::field::Field for $name {
            const BITS: u16 = wire_enum!(@bits $($bits)?);
            const KIND: $crate::isa::field::FieldKind = $crate::isa::field::FieldKind::Enum(&Self::DESC);
            fn get(bundle: &$crate::isa::Bundle, at: u16) -> Self {
                $name(bundle.bits(at, <Self as $crate::isa::field::Field>::BITS) as u8)
            }
            fn put(self, bundle: &mut $crate::isa::Bundle, at: u16) {
                bundle.put_bits(at, <Self as $crate::isa::field::Field>::BITS, u64::from(self.0));
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                match Self::DESC.name_of(self.0) {
                    Some(name) => f.write_str(name),
                    None => write!(f, "{:#04x}", self.0),
                }
            }
        }
    )+};
    (@bits) => { 8 };
    (@bits $bits:literal) => { $bits };
}

/// Declares struct layouts. Grammar of a row, all parts after the place optional:
///
/// ```text
/// /// one line of documentation
/// name: Type @ byte [bit N] [reads DTYPE_FIELD | writes DTYPE_FIELD | reads_as CODE | writes_as CODE]
///       [lanes COUNT_FIELD] [src IMM_SRC_FIELD | src_n IMM_SRC_N_FIELD] [shown always] [conf Strong|Inferred|Unknown];
/// ```
/// `NAME = "WIRE_NAME"` declares a format whose undeclared bytes are reserved and must be 0;
/// `NAME = open "WIRE_NAME"` one whose undeclared bytes have no published meaning, `bare` one
/// without EVENTS band. Fields stand in listing order.
/// Each format becomes a typed view `NAME(&Bundle)` with one getter per field and `NAME::FORMAT`.
/// A slot that may be indirect from v4 only is declared `Mem<N>`; rows then say `NAME::MEM_FROM_V4`.
macro_rules! formats {
    ($($(#[doc = $doc:literal])+ $name:ident = $($flag:ident)* $wire:literal { $(
        $(#[doc = $fdoc:literal])+
        $field:ident : $ty:ty = $byte:literal $(bit $bit:literal)?
            $(reads $reads:ident)? $(writes $writes:ident)? $(reads_as $reads_as:literal)? $(writes_as $writes_as:literal)?
            $(lanes $lanes:ident)? $(src $src:ident)? $(src_n $src_n:ident)? $(shown $always:ident)? $(conf $conf:ident)?
        ;)* })+) => {$(
        $(#[doc = $doc])+
        #[derive(Clone, Copy)]
        pub struct $name<'b>(pub &'b $crate::isa::Bundle);

        impl $name<'_> {
            const FIELDS: [$crate::isa::field::FieldDesc; { let names: &[&str] = &[$(stringify!($field)),*]; names.len() }] =
                [$($crate::isa::field::FieldDesc {
                    name: stringify!($field),
                    at: 8 * $byte $(+ $bit)?,
                    bits: <$ty as $crate::isa::field::Field>::BITS,
                    kind: formats!(@kind <$ty as $crate::isa::field::Field>::KIND; $(src $src)? $(src_n $src_n)?),
                    operand: formats!(@operand [$(reads $reads)? $(writes $writes)? $(reads_as $reads_as)? $(writes_as $writes_as)?] [$($lanes)?]),
                    always: formats!(@always $($always)?),
                    confidence: formats!(@conf $($conf)?),
                    doc: concat!($($fdoc),+),
                }),*];
            /// The layout.
            pub const FORMAT: &'static $crate::isa::field::Format = &$crate::isa::field::Format {
                name: $wire,
                doc: concat!($($doc),+),
                open: formats!(@flag open $($flag)*),
                bare: formats!(@flag bare $($flag)*),
                fields: &Self::FIELDS,
            };
            /// The layout with every slot static, as before v4 (isa 03 §4).
            pub const STATIC: &'static $crate::isa::field::Format = &$crate::isa::field::Format {
                fields: &$crate::isa::field::static_slots(Self::FIELDS),
                ..*Self::FORMAT
            };
            /// For rows: this layout on every generation.
            pub const EVERY: $crate::isa::table::Layouts = &[($crate::isa::GenSet::ALL, Self::FORMAT)];
            /// For rows: slots that are static on v2 and v3 and may be indirect from v4.
            pub const MEM_FROM_V4: $crate::isa::table::Layouts = &[
                ($crate::isa::GenSet::V2_V3, Self::STATIC),
                ($crate::isa::GenSet::FROM_V4, Self::FORMAT),
            ];
            $($(#[doc = $fdoc])+
            pub fn $field(&self) -> $ty {
                <$ty as $crate::isa::field::Field>::get(self.0, 8 * $byte $(+ $bit)?)
            })*
        }
        const _: () = assert!($name::FORMAT.well_formed(), "fields overlap or leave the body");
    )+};
    (@flag $want:ident) => { false };
    (@flag open open $($more:ident)*) => { true };
    (@flag bare bare $($more:ident)*) => { true };
    (@flag $want:ident $other:ident $($more:ident)*) => { formats!(@flag $want $($more)*) };
    (@kind $kind:expr;) => { $kind };
    (@kind $kind:expr; src $src:ident) => { $crate::isa::field::FieldKind::Imm { src: stringify!($src), inverted: false } };
    (@kind $kind:expr; src_n $src:ident) => { $crate::isa::field::FieldKind::Imm { src: stringify!($src), inverted: true } };
    (@operand [] []) => { None };
    (@operand [$($io:tt)+] [$($lanes:ident)?]) => { Some($crate::isa::field::OperandDesc {
        role: formats!(@role $($io)+),
        dtype: formats!(@dtype $($io)+),
        lanes: formats!(@lanes $($lanes)?),
    }) };
    (@role reads $($x:tt)*) => { $crate::isa::field::Role::Read };
    (@role reads_as $($x:tt)*) => { $crate::isa::field::Role::Read };
    (@role writes $($x:tt)*) => { $crate::isa::field::Role::Write };
    (@role writes_as $($x:tt)*) => { $crate::isa::field::Role::Write };
    (@dtype reads $x:ident) => { $crate::isa::field::DTypeOf::Field(stringify!($x)) };
    (@dtype writes $x:ident) => { $crate::isa::field::DTypeOf::Field(stringify!($x)) };
    (@dtype reads_as $x:literal) => { $crate::isa::field::DTypeOf::Fixed($x) };
    (@dtype writes_as $x:literal) => { $crate::isa::field::DTypeOf::Fixed($x) };
    (@lanes) => { None };
    (@lanes $x:ident) => { Some(stringify!($x)) };
    (@always) => { false };
    (@always always) => { true };
    (@conf) => { $crate::isa::field::Confidence::Confirmed };
    (@conf $x:ident) => { $crate::isa::field::Confidence::$x };
}
