//! Signing in with the browser, at a Synapse that delegates authentication to a separate server.

use std::time::Duration;

use axum::routing::get;
use keepsake_connectors::{BrowserSignIn, Fault, Matrix, Settings, SignIn, connect};
use reqwest::{Response, StatusCode, Url};
use secrecy::ExposeSecret as _;
use serde_json::json;

use super::synapse::{Synapse, http_builder};

/// The response that identifies every visitor as ana.
const CHECKED: &str = r#"<cas:serviceResponse xmlns:cas="http://www.yale.edu/tp/cas"><cas:authenticationSuccess>
    <cas:user>ana</cas:user></cas:authenticationSuccess></cas:serviceResponse>"#;

/// Starts the authentication server. Returns its address.
async fn checker() -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let checked = || async { CHECKED };
    let app = axum::Router::new().route("/proxyValidate", get(checked)).route("/p3/proxyValidate", get(checked));
    tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
    address
}

async fn synapse() -> Synapse {
    let server = checker().await;
    Synapse::start_with(json!({
        "cas_config": { "enabled": true, "server_url": server },
        "sso": { "client_whitelist": ["http://127.0.0.1:"] },
    }))
    .await
}

/// Requests an address as a browser does, one step at a time.
async fn call(url: &str) -> Response {
    try_call(url).await.unwrap()
}

async fn try_call(url: &str) -> reqwest::Result<Response> {
    http_builder().redirect(reqwest::redirect::Policy::none()).build().unwrap().get(url).send().await
}

/// Where an answer redirects the browser.
fn onward(answer: &Response) -> String {
    assert_eq!(answer.status(), StatusCode::FOUND, "{answer:?}");
    answer.headers()["location"].to_str().unwrap().to_owned()
}

/// Does what the browser does: visits the homeserver, then the page where the person signs in, and is redirected back to both.
/// Returns the final address.
async fn sign_in(address: &str) -> String {
    let page = onward(&call(address).await);
    let service = Url::parse(&page).unwrap().query_pairs().find(|(name, _)| name == "service").unwrap().1.into_owned();
    onward(&call(&format!("{service}&ticket=checked")).await)
}

fn entered(homeserver: String, sign_in: SignIn) -> Settings {
    Settings::Matrix(Matrix { homeserver, user: String::new(), device: None, sign_in })
}

#[tokio::test(flavor = "multi_thread")]
async fn who_signs_in_in_the_browser_is_connected_and_the_way_back_works_once() {
    let synapse = synapse().await;
    let ana = synapse.user("ana").await;
    let waiting = BrowserSignIn::begin(&synapse.address()).await.unwrap();
    let address = waiting.address().to_owned();
    let finishing = tokio::spawn(waiting.finish(|| false));
    let back = sign_in(&address).await;
    assert!(back.starts_with("http://127.0.0.1:"), "{back}");
    // The control: a caller who does not know the path gets nothing and stops nothing.
    let mut guessed = Url::parse(&back).unwrap();
    guessed.set_path("/guessed");
    assert_eq!(call(guessed.as_str()).await.status(), StatusCode::NOT_FOUND);
    // A connection that sends nothing stops nothing either.
    let idle = tokio::net::TcpStream::connect((guessed.host_str().unwrap(), guessed.port().unwrap())).await.unwrap();
    let answer = call(&back).await;
    assert_eq!((answer.status(), &answer.headers()["cache-control"]), (StatusCode::OK, &"no-store".parse().unwrap()));
    assert!(answer.text().await.unwrap().contains("close this page"));
    drop(idle);
    let token = tokio::time::timeout(Duration::from_secs(20), finishing).await.unwrap().unwrap().unwrap();
    let connected = connect(entered(synapse.address(), SignIn::Browser), Some(token.clone())).await.unwrap();
    assert_eq!(connected.name, ana.id);
    let Settings::Matrix(settings) = &connected.settings else { panic!("{connected:?}") };
    assert_eq!(settings.sign_in, SignIn::Browser);
    let kept = connected.secret.as_ref().unwrap();
    assert!(!kept.expose_secret().contains(token.expose_secret()));
    // Neither the address nor the token can be used again.
    assert!(try_call(&back).await.is_err(), "nobody listens any more");
    let again = connect(entered(synapse.address(), SignIn::Browser), Some(token.clone())).await.unwrap_err();
    assert!(again.to_string().contains("Sign in in the browser again"), "{again}");
    assert!(!again.to_string().contains(token.expose_secret()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_without_it_says_so_before_anything_is_opened() {
    let synapse = Synapse::start().await;
    let refused = BrowserSignIn::begin(&synapse.address()).await;
    assert!(matches!(&refused, Err(Fault::Refused { detail }) if detail.contains("does not offer")), "{refused:?}");
    let unsafe_address = BrowserSignIn::begin("http://matrix.example.org").await;
    assert!(matches!(&unsafe_address, Err(Fault::Refused { detail }) if detail.contains("https://")), "{unsafe_address:?}");
}
