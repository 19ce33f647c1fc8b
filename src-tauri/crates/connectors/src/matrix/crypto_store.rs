//! Stores the data that Matrix encryption needs in a [`Vault`]: the account of this device, its channels to other devices, and
//! message keys.
//!
//! Each save is one transaction. Keepsake writes nothing to rooms, so keys for writing are not stored. The protocol itself is
//! implemented in `matrix-sdk-crypto`.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use async_trait::async_trait;
use matrix_sdk_crypto::olm::{
    InboundGroupSession, OlmMessageHash, OutboundGroupSession, PickledAccount, PickledCrossSigningIdentity,
    PickledInboundGroupSession, PickledSession, PrivateCrossSigningIdentity, SenderDataType, StaticAccountData,
};
use matrix_sdk_crypto::store::types::{
    BackupKeys, Changes, DehydratedDeviceKey, PendingChanges, RoomKeyCounts, RoomKeyWithheldEntry, RoomPendingKeyBundleDetails,
    RoomSettings, StoredRoomKeyBundleData,
};
use matrix_sdk_crypto::store::{CryptoStore, CryptoStoreError};
use matrix_sdk_crypto::vodozemac::Curve25519PublicKey;
use matrix_sdk_crypto::{Account, DeviceData, GossipRequest, SecretInfo, Session, TrackedUser, UserIdentityData};
use ruma::events::secret::request::SecretName;
use ruma::{DeviceId, OwnedDeviceId, RoomId, TransactionId, UserId};

use super::vault::{Batch, Kind, Vault, VaultError};

/// Names of the values that exist only once.
const ACCOUNT: &str = "account";
const IDENTITY: &str = "identity";
const BACKUP_KEY: &str = "backup_key";
const BACKUP_VERSION: &str = "backup_version";
const DEHYDRATED: &str = "dehydrated";
const NEXT_BATCH: &str = "next_batch";

type Result<T, E = CryptoStoreError> = std::result::Result<T, E>;

impl From<VaultError> for CryptoStoreError {
    fn from(error: VaultError) -> Self {
        Self::backend(error)
    }
}

/// The keys of this device.
#[derive(Debug)]
pub(super) struct KeyStore {
    vault: Arc<Vault>,
    account: RwLock<Option<StaticAccountData>>,
}

impl KeyStore {
    /// Creates a store for the keys in this vault.
    pub(super) fn new(vault: Arc<Vault>) -> Self {
        Self { vault, account: RwLock::default() }
    }

    fn account(&self) -> Result<StaticAccountData> {
        self.account.read().unwrap_or_else(PoisonError::into_inner).clone().ok_or(CryptoStoreError::AccountUnset)
    }

    fn note_account(&self, account: &Account) {
        *self.account.write().unwrap_or_else(PoisonError::into_inner) = Some(account.static_data().clone());
    }

    async fn put_room_key(&self, batch: &mut Batch, session: &InboundGroupSession) -> Result<()> {
        let (room, id) = (session.room_id().as_str(), session.session_id());
        self.vault.put(batch, Kind::RoomKey, room, id, &session.pickle().await)?;
        let sender = session.sender_key().to_base64();
        Ok(self.vault.put(batch, Kind::RoomKeyOf, &sender, &format!("{room} {id}"), &(room, id))?)
    }

    /// Stores the plain values among the changes.
    fn put_values(&self, batch: &mut Batch, changes: &Changes) -> Result<()> {
        let vault = &self.vault;
        if let Some(version) = &changes.backup_version {
            vault.put(batch, Kind::Single, "", BACKUP_VERSION, version)?;
        }
        if let Some(key) = &changes.backup_decryption_key {
            vault.put(batch, Kind::Single, "", BACKUP_KEY, key)?;
        }
        if let Some(key) = &changes.dehydrated_device_pickle_key {
            vault.put(batch, Kind::Single, "", DEHYDRATED, key)?;
        }
        if let Some(token) = &changes.next_batch_token {
            vault.put(batch, Kind::Single, "", NEXT_BATCH, token)?;
        }
        for hash in &changes.message_hashes {
            vault.put(batch, Kind::OlmHash, &hash.sender_key, &hash.hash, &())?;
        }
        for request in &changes.key_requests {
            vault.put(batch, Kind::KeyRequest, "", request.request_id.as_str(), request)?;
        }
        for device in changes.devices.new.iter().chain(&changes.devices.changed) {
            vault.put(batch, Kind::Device, device.user_id().as_str(), device.device_id().as_str(), device)?;
        }
        for device in &changes.devices.deleted {
            vault.delete(batch, Kind::Device, device.user_id().as_str(), device.device_id().as_str());
        }
        for identity in changes.identities.new.iter().chain(&changes.identities.changed) {
            vault.put(batch, Kind::Identity, "", identity.user_id().as_str(), identity)?;
        }
        for (room, sessions) in &changes.withheld_session_info {
            for (session, entry) in sessions {
                vault.put(batch, Kind::Withheld, room.as_str(), session, entry)?;
            }
        }
        for (room, settings) in &changes.room_settings {
            vault.put(batch, Kind::RoomSettings, "", room.as_str(), settings)?;
        }
        for secret in &changes.secrets {
            // Several secrets may have the same name, and the same secret may arrive again.
            let key = blake3::hash(secret.secret.as_bytes()).to_hex();
            vault.put(batch, Kind::Secret, secret.secret_name.as_str(), &key, secret.secret.as_str())?;
        }
        for bundle in &changes.received_room_key_bundles {
            let room = bundle.bundle_data.room_id.as_str();
            vault.put(batch, Kind::Bundle, room, bundle.sender_user.as_str(), bundle)?;
        }
        for room in &changes.room_key_backups_fully_downloaded {
            vault.put(batch, Kind::FullyFetched, "", room.as_str(), &())?;
        }
        for (room, details) in &changes.rooms_pending_key_bundle {
            match details {
                Some(details) => vault.put(batch, Kind::PendingBundle, "", room.as_str(), details)?,
                None => vault.delete(batch, Kind::PendingBundle, "", room.as_str()),
            }
        }
        Ok(())
    }

    fn room_keys(pickles: Vec<PickledInboundGroupSession>) -> Result<Vec<InboundGroupSession>> {
        pickles.into_iter().map(|pickle| Ok(InboundGroupSession::from_pickle(pickle)?)).collect()
    }

    fn key_requests(&self) -> Result<Vec<GossipRequest>> {
        Ok(self.vault.every(Kind::KeyRequest)?)
    }
}

#[async_trait]
impl CryptoStore for KeyStore {
    type Error = CryptoStoreError;

    async fn load_account(&self) -> Result<Option<Account>> {
        let Some(pickle) = self.vault.get::<PickledAccount>(Kind::Single, "", ACCOUNT)? else { return Ok(None) };
        let account = Account::from_pickle(pickle)?;
        self.note_account(&account);
        Ok(Some(account))
    }

    async fn load_identity(&self) -> Result<Option<PrivateCrossSigningIdentity>> {
        let pickle = self.vault.get::<PickledCrossSigningIdentity>(Kind::Single, "", IDENTITY)?;
        pickle
            .map(|pickle| PrivateCrossSigningIdentity::from_pickle(pickle).map_err(|_| CryptoStoreError::UnpicklingError))
            .transpose()
    }

    async fn save_changes(&self, changes: Changes) -> Result<()> {
        let mut batch = Batch::default();
        if let Some(identity) = &changes.private_identity {
            self.vault.put(&mut batch, Kind::Single, "", IDENTITY, &identity.pickle().await)?;
        }
        for session in &changes.sessions {
            let sender = session.sender_key().to_base64();
            self.vault.put(&mut batch, Kind::OlmSession, &sender, session.session_id(), &session.pickle().await)?;
        }
        for session in &changes.inbound_group_sessions {
            self.put_room_key(&mut batch, session).await?;
        }
        self.put_values(&mut batch, &changes)?;
        Ok(self.vault.commit(batch)?)
    }

    async fn save_pending_changes(&self, changes: PendingChanges) -> Result<()> {
        let Some(account) = changes.account else { return Ok(()) };
        self.note_account(&account);
        Ok(self.vault.set(Kind::Single, "", ACCOUNT, &account.pickle())?)
    }

    async fn save_inbound_group_sessions(&self, sessions: Vec<InboundGroupSession>, _: Option<&str>) -> Result<()> {
        let mut batch = Batch::default();
        for session in &sessions {
            self.put_room_key(&mut batch, session).await?;
        }
        Ok(self.vault.commit(batch)?)
    }

    async fn get_sessions(&self, sender_key: &str) -> Result<Option<Vec<Session>>> {
        let pickles = self.vault.all::<PickledSession>(Kind::OlmSession, sender_key)?;
        if pickles.is_empty() {
            return Ok(None);
        }
        let own = self.get_own_device().await?.as_device_keys().clone();
        let session = |pickle| Session::from_pickle(own.clone(), pickle).map_err(|_| CryptoStoreError::UnpicklingError);
        pickles.into_iter().map(session).collect::<Result<Vec<_>>>().map(Some)
    }

    async fn get_inbound_group_session(&self, room_id: &RoomId, session_id: &str) -> Result<Option<InboundGroupSession>> {
        let pickle = self.vault.get::<PickledInboundGroupSession>(Kind::RoomKey, room_id.as_str(), session_id)?;
        pickle.map(|pickle| Ok(InboundGroupSession::from_pickle(pickle)?)).transpose()
    }

    async fn get_withheld_info(&self, room_id: &RoomId, session_id: &str) -> Result<Option<RoomKeyWithheldEntry>> {
        Ok(self.vault.get(Kind::Withheld, room_id.as_str(), session_id)?)
    }

    async fn get_withheld_sessions_by_room_id(&self, room_id: &RoomId) -> Result<Vec<RoomKeyWithheldEntry>> {
        Ok(self.vault.all(Kind::Withheld, room_id.as_str())?)
    }

    async fn get_inbound_group_sessions(&self) -> Result<Vec<InboundGroupSession>> {
        Self::room_keys(self.vault.every(Kind::RoomKey)?)
    }

    async fn inbound_group_session_counts(&self, _: Option<&str>) -> Result<RoomKeyCounts> {
        let total = self.vault.every::<PickledInboundGroupSession>(Kind::RoomKey)?.len();
        Ok(RoomKeyCounts { total, backed_up: 0 })
    }

    async fn get_inbound_group_sessions_by_room_id(&self, room_id: &RoomId) -> Result<Vec<InboundGroupSession>> {
        Self::room_keys(self.vault.all(Kind::RoomKey, room_id.as_str())?)
    }

    async fn get_inbound_group_sessions_for_device_batch(
        &self,
        curve_key: Curve25519PublicKey,
        sender_data_type: SenderDataType,
        after_session_id: Option<String>,
        limit: usize,
    ) -> Result<Vec<InboundGroupSession>> {
        let mut ids = self.vault.all::<(String, String)>(Kind::RoomKeyOf, &curve_key.to_base64())?;
        ids.retain(|(_, session)| after_session_id.as_ref().is_none_or(|after| session > after));
        ids.sort_by(|(_, a), (_, b)| a.cmp(b));
        let mut sessions = Vec::new();
        for (room, id) in ids {
            let pickle = self.vault.get::<PickledInboundGroupSession>(Kind::RoomKey, &room, &id)?;
            let session = pickle.map(InboundGroupSession::from_pickle).transpose()?;
            sessions.extend(session.filter(|session| session.sender_data_type() == sender_data_type));
            if sessions.len() >= limit {
                break;
            }
        }
        Ok(sessions)
    }

    // Keepsake does not back up keys, so none are left to back up.
    async fn inbound_group_sessions_for_backup(&self, _: &str, _: usize) -> Result<Vec<InboundGroupSession>> {
        Ok(Vec::new())
    }

    async fn mark_inbound_group_sessions_as_backed_up(&self, _: &str, _: &[(&RoomId, &str)]) -> Result<()> {
        Ok(())
    }

    async fn reset_backup_state(&self) -> Result<()> {
        Ok(())
    }

    async fn load_backup_keys(&self) -> Result<BackupKeys> {
        Ok(BackupKeys {
            decryption_key: self.vault.get(Kind::Single, "", BACKUP_KEY)?,
            backup_version: self.vault.get(Kind::Single, "", BACKUP_VERSION)?,
        })
    }

    async fn load_dehydrated_device_pickle_key(&self) -> Result<Option<DehydratedDeviceKey>> {
        Ok(self.vault.get(Kind::Single, "", DEHYDRATED)?)
    }

    async fn delete_dehydrated_device_pickle_key(&self) -> Result<()> {
        Ok(self.vault.remove(Kind::Single, "", DEHYDRATED)?)
    }

    // Nothing is ever written to a room.
    async fn get_outbound_group_session(&self, _: &RoomId) -> Result<Option<OutboundGroupSession>> {
        Ok(None)
    }

    async fn load_tracked_users(&self) -> Result<Vec<TrackedUser>> {
        Ok(self.vault.every(Kind::TrackedUser)?)
    }

    async fn save_tracked_users(&self, users: &[(&UserId, bool)]) -> Result<()> {
        let mut batch = Batch::default();
        for (user, dirty) in users {
            let tracked = TrackedUser { user_id: (*user).to_owned(), dirty: *dirty };
            self.vault.put(&mut batch, Kind::TrackedUser, "", user.as_str(), &tracked)?;
        }
        Ok(self.vault.commit(batch)?)
    }

    async fn get_device(&self, user_id: &UserId, device_id: &DeviceId) -> Result<Option<DeviceData>> {
        Ok(self.vault.get(Kind::Device, user_id.as_str(), device_id.as_str())?)
    }

    async fn get_user_devices(&self, user_id: &UserId) -> Result<HashMap<OwnedDeviceId, DeviceData>> {
        let devices = self.vault.all::<DeviceData>(Kind::Device, user_id.as_str())?;
        Ok(devices.into_iter().map(|device| (device.device_id().to_owned(), device)).collect())
    }

    async fn get_own_device(&self) -> Result<DeviceData> {
        let account = self.account()?;
        self.get_device(&account.user_id, &account.device_id).await?.ok_or(CryptoStoreError::AccountUnset)
    }

    async fn get_user_identity(&self, user_id: &UserId) -> Result<Option<UserIdentityData>> {
        Ok(self.vault.get(Kind::Identity, "", user_id.as_str())?)
    }

    async fn is_message_known(&self, message_hash: &OlmMessageHash) -> Result<bool> {
        Ok(self.vault.has(Kind::OlmHash, &message_hash.sender_key, &message_hash.hash)?)
    }

    async fn get_outgoing_secret_requests(&self, request_id: &TransactionId) -> Result<Option<GossipRequest>> {
        Ok(self.vault.get(Kind::KeyRequest, "", request_id.as_str())?)
    }

    async fn get_secret_request_by_info(&self, secret_info: &SecretInfo) -> Result<Option<GossipRequest>> {
        Ok(self.key_requests()?.into_iter().find(|request| request.info == *secret_info))
    }

    async fn get_unsent_secret_requests(&self) -> Result<Vec<GossipRequest>> {
        Ok(self.key_requests()?.into_iter().filter(|request| !request.sent_out).collect())
    }

    async fn delete_outgoing_secret_requests(&self, request_id: &TransactionId) -> Result<()> {
        Ok(self.vault.remove(Kind::KeyRequest, "", request_id.as_str())?)
    }

    async fn get_secrets_from_inbox(&self, secret_name: &SecretName) -> Result<Vec<zeroize::Zeroizing<String>>> {
        let secrets = self.vault.all::<String>(Kind::Secret, secret_name.as_str())?;
        Ok(secrets.into_iter().map(Into::into).collect())
    }

    async fn delete_secrets_from_inbox(&self, secret_name: &SecretName) -> Result<()> {
        Ok(self.vault.clear(Kind::Secret, secret_name.as_str())?)
    }

    async fn get_room_settings(&self, room_id: &RoomId) -> Result<Option<RoomSettings>> {
        Ok(self.vault.get(Kind::RoomSettings, "", room_id.as_str())?)
    }

    async fn get_received_room_key_bundle_data(
        &self,
        room_id: &RoomId,
        user_id: &UserId,
    ) -> Result<Option<StoredRoomKeyBundleData>> {
        Ok(self.vault.get(Kind::Bundle, room_id.as_str(), user_id.as_str())?)
    }

    async fn get_pending_key_bundle_details_for_room(&self, room_id: &RoomId) -> Result<Option<RoomPendingKeyBundleDetails>> {
        Ok(self.vault.get(Kind::PendingBundle, "", room_id.as_str())?)
    }

    async fn get_all_rooms_pending_key_bundles(&self) -> Result<Vec<RoomPendingKeyBundleDetails>> {
        Ok(self.vault.every(Kind::PendingBundle)?)
    }

    async fn has_downloaded_all_room_keys(&self, room_id: &RoomId) -> Result<bool> {
        Ok(self.vault.has(Kind::FullyFetched, "", room_id.as_str())?)
    }

    async fn get_custom_value(&self, key: &str) -> Result<Option<Vec<u8>>> {
        Ok(self.vault.get(Kind::Custom, "", key)?)
    }

    async fn set_custom_value(&self, key: &str, value: Vec<u8>) -> Result<()> {
        Ok(self.vault.set(Kind::Custom, "", key, &value)?)
    }

    async fn remove_custom_value(&self, key: &str) -> Result<()> {
        Ok(self.vault.remove(Kind::Custom, "", key)?)
    }

    // The process that opened the file holds its lock, so no other process shares it.
    async fn try_take_leased_lock(&self, _: u32, _: &str, _: &str) -> Result<Option<u64>> {
        Ok(Some(1))
    }

    async fn next_batch_token(&self) -> Result<Option<String>> {
        Ok(self.vault.get(Kind::Single, "", NEXT_BATCH)?)
    }

    async fn close(&self) -> Result<()> {
        Ok(())
    }

    async fn reopen(&self) -> Result<()> {
        Ok(())
    }

    async fn get_size(&self) -> Result<Option<usize>> {
        Ok(None)
    }
}
