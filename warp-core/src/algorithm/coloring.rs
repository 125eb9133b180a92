//! Colours of the nodes of a graph, such that neighbours differ: nodes of one colour can be processed at once.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// In which order nodes get the smallest colour that no neighbour has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// Next the node with most neighbours that have a colour (maximum cardinality search: Tarjan and Yannakakis, 1984). As
    /// few colours as there can be for chordal graphs.
    Search,
    /// Nodes with most neighbours first (Welsh and Powell, 1967).
    Degree,
}

/// The neighbours of each node.
pub struct Graph {
    /// Where the neighbours of each node begin, and where the last ones end.
    starts: Vec<usize>,
    neighbours: Vec<u32>,
}

impl Graph {
    /// A graph of edges in any order, which may be repeated. An edge from a node to itself says nothing.
    ///
    /// # Errors
    /// The number of an edge whose nodes are not all there.
    pub fn new(nodes: usize, edges: &[[i32; 2]]) -> Result<Graph, usize> {
        let known = |n: i32| usize::try_from(n).is_ok_and(|n| n < nodes);
        if let Some(wrong) = edges.iter().position(|e| !e.iter().all(|n| known(*n))) {
            return Err(wrong);
        }
        let edges = || edges.iter().filter(|e| e[0] != e[1]);
        let mut starts = vec![0; nodes + 1];
        for node in edges().flatten() {
            starts[*node as usize + 1] += 1;
        }
        for n in 0..nodes {
            starts[n + 1] += starts[n];
        }
        let mut next = starts.clone();
        let mut neighbours = vec![0; starts[nodes]];
        for [a, b] in edges() {
            for (from, to) in [(*a, *b), (*b, *a)] {
                neighbours[next[from as usize]] = to as u32;
                next[from as usize] += 1;
            }
        }
        Ok(Graph { starts, neighbours })
    }

    fn len(&self) -> usize {
        self.starts.len() - 1
    }

    fn of(&self, node: usize) -> &[u32] {
        &self.neighbours[self.starts[node]..self.starts[node + 1]]
    }

    /// A colour for each node, from 0 on.
    pub fn color(&self, order: Order) -> Vec<i32> {
        let mut colors = vec![-1; self.len()];
        // By color: the last node that found it taken.
        let mut taken: Vec<usize> = Vec::new();
        let mut give = |node: usize, colors: &mut [i32]| {
            for neighbour in self.of(node) {
                let color = colors[*neighbour as usize];
                if color >= 0 {
                    taken[color as usize] = node;
                }
            }
            let free = taken.iter().position(|by| *by != node);
            let free = free.unwrap_or_else(|| {
                taken.push(usize::MAX);
                taken.len() - 1
            });
            colors[node] = free as i32;
        };
        match order {
            Order::Degree => {
                let mut nodes: Vec<usize> = (0..self.len()).collect();
                nodes.sort_by_key(|n| Reverse(self.of(*n).len()));
                nodes.into_iter().for_each(|n| give(n, &mut colors));
            }
            Order::Search => {
                let mut colored = vec![0_u32; self.len()];
                let mut next: BinaryHeap<_> = (0..self.len()).map(|n| (0, Reverse(n))).collect();
                while let Some((known, Reverse(node))) = next.pop() {
                    // An entry that another one has replaced.
                    if colors[node] >= 0 || known != colored[node] {
                        continue;
                    }
                    give(node, &mut colors);
                    for neighbour in self.of(node) {
                        let neighbour = *neighbour as usize;
                        if colors[neighbour] < 0 {
                            colored[neighbour] += 1;
                            next.push((colored[neighbour], Reverse(neighbour)));
                        }
                    }
                }
            }
        }
        colors
    }

    /// An edge whose nodes have one colour.
    pub fn conflict(&self, colors: &[i32]) -> Option<(usize, usize)> {
        (0..self.len()).find_map(|n| {
            let same = |other: &&u32| colors[**other as usize] == colors[n];
            self.of(n)
                .iter()
                .find(same)
                .map(|other| (n, *other as usize))
        })
    }

    /// Gives nodes of large colours a smaller one that no neighbour has, until the largest has at most `ratio` times as many
    /// nodes as the smallest, `moves` have been made, or there is none left to make. Returns the ratio, infinite if a
    /// colour has no nodes, and the number of moves.
    pub fn balance(
        &self,
        colors: &mut [i32],
        count: usize,
        ratio: f64,
        moves: usize,
    ) -> (f64, usize) {
        let mut sizes = vec![0_usize; count];
        // How many neighbours of a node have a colour.
        let mut around = vec![0_u32; self.len() * count];
        for n in 0..self.len() {
            sizes[colors[n] as usize] += 1;
            for neighbour in self.of(n) {
                around[n * count + colors[*neighbour as usize] as usize] += 1;
            }
        }
        // Nodes that may go from one colour to another: looked at again before they do.
        let mut may_go: Vec<Vec<u32>> = vec![Vec::new(); count * count];
        for n in (0..self.len()).rev() {
            for to in (0..count).filter(|to| around[n * count + to] == 0) {
                may_go[colors[n] as usize * count + to].push(n as u32);
            }
        }
        let range = |sizes: &[usize]| {
            let (most, least) = (sizes.iter().max(), sizes.iter().min());
            let [most, least] = [most, least].map(|n| *n.unwrap_or(&0) as f64);
            if most == least { 1.0 } else { most / least }
        };
        let mut made = 0;
        while made < moves && range(&sizes) > ratio {
            let mut order: Vec<usize> = (0..count).collect();
            order.sort_by_key(|c| (sizes[*c], *c));
            let pairs = order
                .iter()
                .rev()
                .flat_map(|from| order.iter().map(move |to| (*from, *to)));
            let mut found = None;
            for (from, to) in pairs.filter(|(from, to)| sizes[*from] > sizes[*to] + 1) {
                let list = &mut may_go[from * count + to];
                while let Some(n) = list.pop() {
                    let n = n as usize;
                    if colors[n] as usize == from && around[n * count + to] == 0 {
                        found = Some((n, from, to));
                        break;
                    }
                }
                if found.is_some() {
                    break;
                }
            }
            let Some((node, from, to)) = found else { break };
            made += 1;
            colors[node] = to as i32;
            sizes[from] -= 1;
            sizes[to] += 1;
            for other in (0..count).filter(|c| *c != to && around[node * count + c] == 0) {
                may_go[to * count + other].push(node as u32);
            }
            for neighbour in self.of(node) {
                let n = *neighbour as usize;
                around[n * count + to] += 1;
                around[n * count + from] -= 1;
                if around[n * count + from] == 0 {
                    may_go[colors[n] as usize * count + from].push(n as u32);
                }
            }
        }
        (range(&sizes), made)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn count(colors: &[i32]) -> usize {
        colors.iter().max().map_or(0, |most| *most as usize + 1)
    }

    #[test]
    fn known_graphs_need_what_they_need() {
        let path: Vec<[i32; 2]> = (0..9).map(|n| [n, n + 1]).collect();
        let complete: Vec<[i32; 2]> = (0..6).flat_map(|a| (0..a).map(move |b| [a, b])).collect();
        for order in [Order::Search, Order::Degree] {
            assert_eq!(count(&Graph::new(4, &[]).unwrap().color(order)), 1);
            assert_eq!(count(&Graph::new(6, &complete).unwrap().color(order)), 6);
        }
        assert_eq!(
            count(&Graph::new(10, &path).unwrap().color(Order::Search)),
            2
        );
        assert_eq!(Graph::new(3, &[[0, 1], [1, 3]]).err(), Some(1));
        assert_eq!(Graph::new(3, &[[0, -1]]).err(), Some(0));
    }

    #[test]
    fn a_star_cannot_be_balanced_and_loose_nodes_can() {
        let star: Vec<[i32; 2]> = (1..9).map(|n| [0, n]).collect();
        let graph = Graph::new(9, &star).unwrap();
        let mut colors = graph.color(Order::Search);
        assert_eq!(graph.balance(&mut colors, 2, 1.0, 100), (8.0, 0));
        let loose = Graph::new(9, &[]).unwrap();
        let mut colors = vec![0; 9];
        assert_eq!(loose.balance(&mut colors, 3, 1.0, 100), (1.0, 6));
        let mut colors = vec![0; 9];
        assert_eq!(loose.balance(&mut colors, 3, 1.0, 1), (f64::INFINITY, 1));
    }

    proptest! {
        #[test]
        fn neighbours_differ(
            nodes in 1_usize..40,
            edges in proptest::collection::vec((0_i32..40, 0_i32..40), 0..120),
            ratio in 1.0_f64..3.0,
        ) {
            let nodes_i = nodes as i32;
            let edges: Vec<[i32; 2]> = edges.into_iter().map(|(a, b)| [a % nodes_i, b % nodes_i]).collect();
            let graph = Graph::new(nodes, &edges).unwrap();
            for order in [Order::Search, Order::Degree] {
                let mut colors = graph.color(order);
                prop_assert_eq!(graph.conflict(&colors), None);
                let most = (0..nodes).map(|n| graph.of(n).len()).max().unwrap_or(0);
                prop_assert!(count(&colors) <= most + 1);
                let before = colors.clone();
                let n = count(&colors);
                let (got, made) = graph.balance(&mut colors, n, ratio, nodes * nodes);
                prop_assert_eq!(graph.conflict(&colors), None);
                prop_assert_eq!(count(&colors), count(&before));
                prop_assert!(got >= 1.0 && made <= nodes * nodes);
            }
        }
    }
}
