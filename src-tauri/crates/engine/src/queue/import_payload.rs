//! What an import job stores: the request with all of the person's choices, so that an interrupted import continues with the
//! same choices.

use std::path::PathBuf;

use keepsake_domain::{Channel, ImportId, SourceKind, Visibility};
use keepsake_importers::{DateOrder, Zone};
use serde::{Deserialize, Serialize};

use crate::ingest::import_request::ImportRequest;
use crate::ingest::new_channels::NewChannels;

/// The payload of an import job.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ImportPayload {
    import_id: ImportId,
    pub(super) path: PathBuf,
    source: Option<SourceKind>,
    me: Option<String>,
    date_order: Option<String>,
    #[serde(default)]
    zone: Option<String>,
    #[serde(default)]
    meeting: Option<String>,
    private: bool,
    #[serde(default)]
    channels: Vec<(Channel, Visibility)>,
    #[serde(default)]
    other_channels: Option<Visibility>,
    is_sample: bool,
}

const DATE_ORDERS: [(&str, DateOrder); 3] =
    [("day_first", DateOrder::DayFirst), ("month_first", DateOrder::MonthFirst), ("year_first", DateOrder::YearFirst)];

impl ImportPayload {
    pub(crate) fn new(import_id: &ImportId, request: &ImportRequest) -> Self {
        Self {
            import_id: import_id.clone(),
            path: request.path.clone(),
            source: request.source,
            me: request.me.clone(),
            date_order: DATE_ORDERS
                .iter()
                .find(|(_, order)| Some(*order) == request.date_order)
                .map(|(name, _)| (*name).to_owned()),
            zone: request.zone.and_then(Zone::name).map(str::to_owned),
            meeting: request.meeting.map(|meeting| meeting.to_string()),
            private: request.private,
            channels: request.channels.chosen.iter().map(|(channel, choice)| (channel.clone(), *choice)).collect(),
            other_channels: request.channels.others,
            is_sample: request.is_sample,
        }
    }

    pub(super) fn request(self) -> (ImportId, ImportRequest) {
        let date_order = DATE_ORDERS.iter().find(|(name, _)| Some(*name) == self.date_order.as_deref()).map(|(_, order)| *order);
        let request = ImportRequest {
            path: self.path,
            source: self.source,
            me: self.me,
            date_order,
            zone: self.zone.as_deref().and_then(Zone::named),
            meeting: self.meeting.as_deref().and_then(|text| text.parse().ok()),
            private: self.private,
            channels: NewChannels { chosen: self.channels.into_iter().collect(), others: self.other_channels },
            is_sample: self.is_sample,
        };
        (self.import_id, request)
    }
}
