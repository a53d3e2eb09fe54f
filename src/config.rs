//! The user's settings file: looks only, nothing that changes a result.

use std::path::PathBuf;

use crate::cmd::CmdError;
use crate::paint::palette::Palette;

/// What the file may say.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// Colours always or never; by default as the terminal has it.
    pub color: Option<bool>,
    /// Ramp of heatmaps.
    pub palette: Palette,
    /// Light or dark background always; by default as the terminal says.
    pub light: Option<bool>,
}

impl Config {
    /// Reads `tpbdbg/config.toml` in the configuration directory; the defaults when there is none.
    ///
    /// # Errors
    /// The file is malformed.
    pub fn load() -> Result<Config, CmdError> {
        let Some(path) = dir("XDG_CONFIG_HOME", ".config").map(|d| d.join("config.toml")) else {
            return Ok(Config::default());
        };
        match std::fs::read_to_string(&path) {
            Ok(text) => parse(&text).map_err(|m| CmdError::file(&path, m)),
            Err(_) => Ok(Config::default()),
        }
    }

    /// The user's keymap, merged over the default one; `None` when there is none.
    ///
    /// # Errors
    /// The file is there but cannot be read.
    pub fn keymap(&self) -> Result<Option<String>, CmdError> {
        let Some(path) = dir("XDG_CONFIG_HOME", ".config").map(|d| d.join("keymap.toml")) else {
            return Ok(None);
        };
        match std::fs::read_to_string(&path) {
            Ok(text) => Ok(Some(text)),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(e) => Err(CmdError::file(&path, e)),
        }
    }

    /// File of the layout that the user saved.
    pub fn layout_file(&self) -> Option<PathBuf> {
        dir("XDG_CONFIG_HOME", ".config").map(|d| d.join("layout"))
    }

    /// File of command lines given in earlier sessions.
    pub fn history_file(&self) -> Option<PathBuf> {
        Config::state_dir().map(|d| d.join("history"))
    }

    /// Directory of what is kept from session to session.
    pub fn state_dir() -> Option<PathBuf> {
        dir("XDG_STATE_HOME", ".local/state")
    }
}

fn parse(text: &str) -> Result<Config, String> {
    let table: toml::Table = text.parse().map_err(|e: toml::de::Error| e.to_string())?;
    let mut config = Config::default();
    for (key, value) in &table {
        let word = value
            .as_str()
            .ok_or_else(|| format!("`{key}` takes text, found {value}"))?;
        match key.as_str() {
            "color" => {
                config.color = match word {
                    "auto" => None,
                    "always" => Some(true),
                    "never" => Some(false),
                    _ => {
                        return Err(format!(
                            "`color` takes auto, always or never, found `{word}`"
                        ));
                    }
                };
            }
            "background" => {
                config.light = match word {
                    "auto" => None,
                    "light" => Some(true),
                    "dark" => Some(false),
                    _ => {
                        return Err(format!(
                            "`background` takes auto, light or dark, found `{word}`"
                        ));
                    }
                };
            }
            "palette" => {
                let known = Palette::ALL.map(Palette::name).join(", ");
                let palette = Palette::parse(word);
                config.palette =
                    palette.ok_or_else(|| format!("`palette` takes {known}, found `{word}`"))?;
            }
            _ => {
                return Err(format!(
                    "`{key}` is not known; there are background, color and palette"
                ));
            }
        }
    }
    Ok(config)
}

/// Our directory below the one a variable names, or below one in the home directory.
fn dir(variable: &str, in_home: &str) -> Option<PathBuf> {
    let set = |name| {
        std::env::var_os(name)
            .filter(|v| !v.is_empty())
            .map(PathBuf::from)
    };
    let base = set(variable).or_else(|| set("HOME").map(|h| h.join(in_home)))?;
    Some(base.join("tpbdbg"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_keys_and_values() {
        let c = parse("color = \"never\"\npalette = \"ember\"\nbackground = \"light\"").unwrap();
        assert_eq!(c.light, Some(true));
        assert_eq!((c.color, c.palette), (Some(false), Palette::Ember));
        assert_eq!(parse("").unwrap().color, None);
        for wrong in [
            "colour = \"auto\"",
            "color = 1",
            "palette = \"mud\"",
            "background = \"grey\"",
            "color =",
        ] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
