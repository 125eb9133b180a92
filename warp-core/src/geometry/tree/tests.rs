use super::build::Leaves;
use super::*;
use proptest::prelude::*;

const LEAVES: [Leaves; 3] = [
    Leaves {
        size: 1,
        block: 1,
        visit: 0.5,
    },
    Leaves {
        size: 4,
        block: 1,
        visit: 0.5,
    },
    Leaves {
        size: 8,
        block: 8,
        visit: 0.5,
    },
];

/// Checks that a tree is one, and holds each item once.
fn check(built: &Built, bounds: &[Bounds], leaves: Leaves) {
    let mut seen = built.order.clone();
    seen.sort_unstable();
    assert!(seen.iter().copied().eq(0..bounds.len() as u32));
    let mut next_item = 0;
    let mut open: Vec<usize> = Vec::new();
    for (at, node) in built.nodes.iter().enumerate() {
        while open.last().is_some_and(|end| *end == at) {
            open.pop();
        }
        let end = node.escape as usize;
        assert!(end > at && open.last().is_none_or(|outer| end <= *outer));
        assert!(open.len() < 96, "deep");
        open.push(end);
        if node.is_leaf() {
            assert_eq!(end, at + 1);
            assert_eq!(node.range().start, next_item);
            assert!(!node.range().is_empty() && node.range().len() <= leaves.size);
            next_item = node.range().end;
        } else {
            let second = built.nodes[at + 1].escape as usize;
            assert_eq!(built.nodes[second].escape as usize, end);
        }
    }
    assert_eq!(next_item, bounds.len());
    // Each node holds the boxes below it.
    for node in &built.nodes {
        let last = built.nodes[node.escape as usize - 1].range().end;
        let mut at = node;
        while !at.is_leaf() {
            at = &built.nodes[(at as *const Node as usize - built.nodes.as_ptr() as usize)
                / size_of::<Node>()
                + 1];
        }
        for item in at.range().start..last {
            let own = &bounds[built.order[item] as usize];
            let mut grown = node.bounds;
            grown.add(own);
            assert_eq!(grown, node.bounds);
        }
    }
}

fn boxes(count: usize) -> impl Strategy<Value = Vec<Bounds>> {
    let number = prop_oneof![
        8 => -10.0f32..10.0,
        1 => Just(0.0),
        1 => Just(f32::NAN),
        1 => Just(f32::INFINITY),
        1 => Just(-f32::INFINITY),
        1 => Just(f32::MAX),
    ];
    let corner = || [number.clone(), number.clone(), number.clone()];
    let one = (corner(), corner()).prop_map(|(low, high)| Bounds { low, high });
    prop::collection::vec(one, 0..count)
}

proptest! {
    #[test]
    fn trees_hold_their_items(bounds in boxes(300), which in 0..3usize) {
        let leaves = LEAVES[which];
        check(&build(&bounds, leaves), &bounds, leaves);
    }

    #[test]
    fn groups_are_subtrees(bounds in boxes(100), groups in prop::collection::vec(-2..5i32, 100), which in 0..3usize) {
        let (leaves, groups) = (LEAVES[which], &groups[..bounds.len()]);
        let built = build_groups(&bounds, groups, leaves);
        check(&built, &bounds, leaves);
        let mut found = 0;
        for (group, root) in &built.groups {
            let nodes = &built.nodes[*root as usize..built.nodes[*root as usize].escape as usize];
            for item in nodes.iter().flat_map(Node::range) {
                prop_assert_eq!(groups[built.order[item] as usize], *group);
                found += 1;
            }
        }
        prop_assert_eq!(found, bounds.len());
        prop_assert!(built.groups.is_sorted());
    }
}

#[test]
fn equal_and_nested_boxes_give_shallow_trees() {
    let equal = vec![
        Bounds {
            low: [1.0; 3],
            high: [2.0; 3]
        };
        5000
    ];
    let nested: Vec<Bounds> = (0..2000)
        .map(|k| {
            let far = 1.1f32.powi(k - 800).min(f32::MAX);
            Bounds {
                low: [far; 3],
                high: [far * 1.01; 3],
            }
        })
        .collect();
    for leaves in LEAVES {
        for bounds in [&equal, &nested] {
            check(&build(bounds, leaves), bounds, leaves);
        }
    }
}

#[test]
fn trees_are_the_same_each_time() {
    let mut seed = 1u32;
    let mut next = || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 8) as f32 / 1e6
    };
    let bounds: Vec<Bounds> = (0..50_000)
        .map(|_| {
            let low = [next(), next(), next()];
            Bounds {
                low,
                high: low.map(|x| x + 0.1),
            }
        })
        .collect();
    let first = build(&bounds, LEAVES[1]);
    check(&first, &bounds, LEAVES[1]);
    let again = build(&bounds, LEAVES[1]);
    assert_eq!(first.nodes, again.nodes);
    assert_eq!(first.order, again.order);
}
