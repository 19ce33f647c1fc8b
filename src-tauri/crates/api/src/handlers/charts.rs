//! Commands that return chart data: counts over time, and the graph around a person or a topic.

use keepsake_domain::Timestamp;
use keepsake_engine::{GraphOf, NodeKind, Series, TimelineAsk, Unit};

use super::title_or_stand_in;
use crate::app::App;
use crate::error::ApiError;
use crate::types::Count;
use crate::types::charts::*;

fn series(series: Series) -> TimelineSeries {
    TimelineSeries { total: series.total(), name: series.name, counts: series.counts, off_record: series.off_record }
}

pub(crate) fn timeline(app: &App, request: TimelineRequest) -> Result<TimelineResponse, ApiError> {
    let unit = match request.unit.as_deref() {
        None => None,
        Some(name) => Some(
            Unit::named(name)
                .ok_or_else(|| ApiError::invalid(format!("'{name}' is not a unit; use day, week, month or year")))?,
        ),
    };
    let found = app.engine().serve().timeline(&TimelineAsk {
        person: request.person.map(|id| id.parse()).transpose()?,
        topic: request.topic.map(|id| id.parse()).transpose()?,
        from: request.from.map(Timestamp),
        to: request.to.map(Timestamp),
        unit,
        week_start: request.week_start,
        by_decision: request.by_decision,
    })?;
    Ok(TimelineResponse {
        unit: found.unit.name().to_owned(),
        units: found.units.iter().map(|unit| unit.name().to_owned()).collect(),
        edges: found.edges,
        messages: found.messages.into_iter().map(series).collect(),
        memories: found.memories.into_iter().map(series).collect(),
        messages_outside: found.messages_outside,
        memories_outside: found.memories_outside,
    })
}

pub(crate) fn graph(app: &App, request: GraphRequest) -> Result<GraphResponse, ApiError> {
    let of = match (request.person, request.topic) {
        (Some(id), None) => GraphOf::Person(id.parse()?),
        (None, Some(id)) => GraphOf::Topic(id.parse()?),
        _ => return Err(ApiError::invalid("give either a person or a topic: a graph has one thing at its center")),
    };
    let graph = app.engine().serve().graph(&of)?;
    let nodes = graph.nodes.into_iter().map(|node| GraphNode {
        label: match node.kind {
            NodeKind::Conversation => title_or_stand_in(Some(&node.label)),
            _ => node.label,
        },
        id: node.id,
        kind: node.kind.name().to_owned(),
        detail: node.detail,
        is_private: node.is_private,
        is_owner: node.is_owner,
    });
    let edges = graph.edges.into_iter().map(|edge| {
        let (conversation_id, message_id) = edge.line.map(|(place, line)| (place.to_string(), line.to_string())).unzip();
        GraphEdge {
            a: edge.a,
            b: edge.b,
            kind: edge.kind.name().to_owned(),
            count: edge.count,
            nearness: edge.nearness,
            conversation_id,
            message_id,
            is_private: edge.is_private,
        }
    });
    let left_out = graph.left_out.into_iter().map(|(kind, count)| Count { name: kind.name().to_owned(), label: None, count });
    Ok(GraphResponse { center: graph.center, nodes: nodes.collect(), edges: edges.collect(), left_out: left_out.collect() })
}
