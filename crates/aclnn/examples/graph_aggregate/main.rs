//! The aggregation step of a graph network: in each layer, every node combines its neighbours'
//! features with its own, as a sum, a mean or a maximum.
//!
//! The graph is Zachary's karate club (`karate_club.edges`): its instructor and its president fell
//! out, and the club split. A member has two features, one for each of the two leaders: at first 1
//! for that leader and 0 for everybody else. Means over the neighbours then show the side that
//! every member took, sums count the paths from a leader, and maxima show who has been reached.
//! Every layer is compared with a plain loop, bit for bit.
//!
//! ```sh
//! cargo run -p aclnn --example graph_aggregate              # on this machine's CPU
//! cargo run -p aclnn --example graph_aggregate -- --load    # on an NPU, with the installed CANN
//! ```
#![allow(clippy::print_stdout)]

use aclnn::{Reduce, Result, Runtime, Stream, Tensor};

/// The number of features of a node.
const FEATURES: usize = 2;
const LAYERS: usize = 4;
/// The members who sided with the instructor, as Zachary observed.
const INSTRUCTORS_SIDE: [usize; 16] = [1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 13, 14, 17, 18, 20, 22];

fn main() -> Result<()> {
    let runtime =
        if std::env::args().any(|word| word == "--load") { Runtime::load() } else { Runtime::host() };
    let stream = runtime?.device(0)?.stream()?;
    let graph = Graph::parse(include_str!("karate_club.edges"));
    println!("{} members, {} friendships, {LAYERS} layers", graph.nodes, graph.sources.len() / 2);

    let means = propagate(&graph, Reduce::Mean, &stream)?;
    let side: Vec<usize> =
        (0..graph.nodes).filter(|v| means[v * 2] > means[v * 2 + 1]).map(|v| v + 1).collect();
    println!("mean: on the instructor's side are {side:?}");
    assert_eq!(side, INSTRUCTORS_SIDE);

    let sums = propagate(&graph, Reduce::Add, &stream)?;
    println!(
        "sum: in {LAYERS} steps, to a friend or none, news goes from one to the other in {} ways",
        sums[1]
    );
    assert_eq!(sums[1], sums[33 * 2], "each way can be gone back");

    let maxima = propagate(&graph, Reduce::Max, &stream)?;
    let reached = maxima.iter().step_by(2).sum::<f32>();
    println!("max: what the instructor says reaches {reached} of {}", graph.nodes);
    assert_eq!(reached, graph.nodes as f32, "nobody is more than three steps away");
    stream.close()
}

/// An undirected graph, with each edge in both directions.
struct Graph {
    nodes: usize,
    /// The node from which each edge comes.
    sources: Vec<usize>,
    /// The node to which each edge goes.
    targets: Vec<i64>,
}

impl Graph {
    /// Reads a list of edges: each line has the numbers of two nodes, which count from 1; `#`
    /// begins a comment.
    fn parse(text: &str) -> Self {
        let numbers =
            |line: &str| line.split(' ').filter_map(|word| word.parse().ok()).collect::<Vec<usize>>();
        let (mut sources, mut targets) = (Vec::new(), Vec::new());
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let ends = numbers(line);
            for (source, target) in [(ends[0], ends[1]), (ends[1], ends[0])] {
                sources.push(source - 1);
                targets.push(target as i64 - 1);
            }
        }
        Self { nodes: 1 + sources.iter().max().unwrap_or(&0), sources, targets }
    }

    /// One row for each edge: the features of the node from which it comes.
    ///
    /// A real network would use an operator here, such as CANN's aclnnGather, called as example
    /// `raw_operator` does.
    fn messages(&self, features: &[f32]) -> Vec<f32> {
        self.sources.iter().flat_map(|&node| &features[node * FEATURES..][..FEATURES]).copied().collect()
    }
}

/// The features of all nodes, `[nodes, FEATURES]`, after all layers. Compares each layer with the
/// loop.
fn propagate(graph: &Graph, reduce: Reduce, stream: &Stream) -> Result<Vec<f32>> {
    let edges = graph.targets.len();
    // An edge has the same target for all features: one column is broadcast, which uses no memory.
    let targets = Tensor::from_slice(&graph.targets, [edges, 1], stream)?;
    let targets = targets.view().expand([edges, FEATURES])?;

    let mut features = vec![0.0; graph.nodes * FEATURES];
    (features[0], features[33 * FEATURES + 1]) = (1.0, 1.0);
    for _ in 0..LAYERS {
        let messages = graph.messages(&features);
        let own = Tensor::from_slice(&features, [graph.nodes, FEATURES], stream)?;
        let messages_there = Tensor::from_slice(&messages, [edges, FEATURES], stream)?;
        // `true`: a node's own features count, too.
        let layer = own.scatter_reduce(0, &targets, &messages_there, reduce, true, stream)?.to_vec(stream)?;
        assert_eq!(layer, in_a_loop(graph, reduce, &features, &messages));
        features = layer;
    }
    Ok(features)
}

/// One layer, computed without an operator.
fn in_a_loop(graph: &Graph, reduce: Reduce, features: &[f32], messages: &[f32]) -> Vec<f32> {
    let mut taken = features.to_vec();
    let mut counts = vec![1.0; features.len()];
    for (message, &target) in messages.chunks(FEATURES).zip(&graph.targets) {
        for (feature, &value) in message.iter().enumerate() {
            let place = target as usize * FEATURES + feature;
            taken[place] = if reduce == Reduce::Max { taken[place].max(value) } else { taken[place] + value };
            counts[place] += 1.0;
        }
    }
    if reduce == Reduce::Mean {
        taken.iter_mut().zip(&counts).for_each(|(sum, count)| *sum /= count);
    }
    taken
}
