use super::*;
use proptest::prelude::*;

/// The panes do not overlap and cover the body.
fn is_tiling(a: &Areas, screen: Rect) -> Result<(), TestCaseError> {
    let sum: u32 = a.panes.iter().map(|p| p.1.area()).sum();
    prop_assert_eq!(sum + a.status.area() + a.prompt.area(), screen.area());
    for (i, (_, p)) in a.panes.iter().enumerate() {
        prop_assert!(p.is_empty() || screen.intersection(*p) == *p);
        prop_assert!(a.panes.iter().take(i).all(|(_, q)| !q.intersects(*p)));
    }
    Ok(())
}

#[test]
fn layouts_tile_the_body_at_every_size() {
    for name in ["default", "code", "memory", "sync"] {
        let tree = Node::named(name).unwrap();
        for (w, h) in (1..=200).flat_map(|w| [1, 2, 3, 5, 9, 10, 24, 30, 48, 60].map(|h| (w, h))) {
            for zoomed in [false, true] {
                let screen = Rect::new(0, 0, w, h);
                let focus = *tree.panes().last().unwrap();
                let a = cut(&tree, screen, focus, zoomed, PaneId::Sbuf);
                is_tiling(&a, screen).unwrap();
                assert!(a.of(focus).is_some(), "the focus is always visible");
            }
        }
    }
}

#[test]
fn the_small_screen_shows_bundles_one_memory_and_the_log() {
    let tree = Node::named("default").unwrap();
    let shown = |focus, memory| -> Vec<PaneId> {
        let a = cut(&tree, Rect::new(0, 0, 80, 24), focus, false, memory);
        a.panes.iter().map(|p| p.0).collect()
    };
    use PaneId::*;
    assert_eq!(shown(Bundles, Sbuf), [Bundles, Sbuf, Log]);
    assert_eq!(shown(Log, Psum), [Bundles, Psum, Log]);
    assert!(shown(State, Sbuf).contains(&State));
}

#[test]
fn the_wide_screen_shows_all() {
    for name in ["default", "code", "memory", "sync"] {
        let tree = Node::named(name).unwrap();
        let a = cut(
            &tree,
            Rect::new(0, 0, 160, 48),
            PaneId::Bundles,
            false,
            PaneId::Sbuf,
        );
        assert_eq!(a.panes.len(), tree.panes().len(), "{name}: {:?}", a.panes);
    }
}

#[test]
fn errors_say_where() {
    let e = |t: &str| Node::parse(t).unwrap_err().to_string();
    assert_eq!(
        e("rows(1 log)"),
        "layout: column 1: expected `row`, `column` or a pane"
    );
    assert_eq!(
        e("row(0 log)"),
        "layout: column 6: expected a size from 1 to 9999"
    );
    assert_eq!(
        e("row(1 log 2 sbuf)"),
        "layout: column 11: expected `,` or `)`"
    );
    assert_eq!(e("row(1 log, 2 log)"), "layout: `log` is there twice");
    assert!(e(&"row(1 ".repeat(100)).contains("fewer splits"));
    assert!(e("log log").contains("the end"));
}

proptest! {
    #[test]
    fn any_splitting_and_closing_keeps_a_tiling(
        ops in prop::collection::vec((0..4u8, 0..14usize, 0..14usize, any::<bool>(), -30..30i32), 0..40),
        w in 1u16..220, h in 1u16..70,
    ) {
        let screen = Rect::new(0, 0, w, h);
        let mut tree = Node::named("default").unwrap();
        for (op, a, b, row, by) in ops {
            let shown = tree.panes();
            let at = shown[a % shown.len()];
            let axis = if row { Axis::Row } else { Axis::Column };
            match op {
                0 | 1 => tree.split(at, axis, PaneId::ALL[b]),
                2 => drop(tree.close(at)),
                _ => drop(tree.grow(at, axis, by, screen)),
            }
            let mut panes = tree.panes();
            let n = panes.len();
            panes.sort_unstable();
            panes.dedup();
            prop_assert_eq!(panes.len(), n, "a pane is there twice: {}", tree);
            prop_assert!(n > 0);
            // Text and tree are the same.
            prop_assert_eq!(Node::parse(&tree.to_string()), Ok(tree.clone()));
            let mut all = Vec::new();
            tree.place(screen, &mut all);
            let areas = Areas { panes: all, ..Areas::default() };
            is_tiling(&areas, screen)?;
            is_tiling(&cut(&tree, screen, at, false, PaneId::Sbuf), screen)?;
        }
    }

    #[test]
    fn any_text_is_a_layout_or_an_error(text in "[a-z(),=0-9 ]{0,60}") {
        drop(Node::parse(&text));
    }
}
