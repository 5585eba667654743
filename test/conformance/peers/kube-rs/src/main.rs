//! Runs an operator in kube-rs' layout (finalizer, owned objects by server-side apply, status, events), once with
//! a list before each watch and once with streaming lists.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use anyhow::{Context as _, Result, bail, ensure};
use futures::{StreamExt, TryStreamExt};
use k8s_openapi::{
    api::core::v1::{ConfigMap, Namespace, Node, Pod},
    apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition,
};
use kube::{
    Api, Client, CustomResource, CustomResourceExt, Resource, ResourceExt,
    api::{
        AttachParams, DeleteParams, ListParams, LogParams, Patch, PatchParams, PostParams,
        WatchEvent, WatchParams,
    },
    discovery,
    runtime::{
        Controller,
        controller::Action,
        events::{Event as Note, EventType, Recorder, Reporter},
        finalizer::{Error as FinalizerError, Event, finalizer},
        wait::{await_condition, conditions},
        watcher,
    },
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(CustomResource, Serialize, Deserialize, Clone, Debug, JsonSchema)]
#[kube(
    group = "rust.peers.knarr.test",
    version = "v1",
    kind = "Widget",
    namespaced,
    status = "WidgetStatus"
)]
struct WidgetSpec {
    #[schemars(range(min = 0))]
    size: i32,
}

#[derive(Serialize, Deserialize, Clone, Debug, Default, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct WidgetStatus {
    ready_size: i32,
}

struct Operator {
    client: Client,
    recorder: Recorder,
    finalized: AtomicU32,
}

async fn apply(operator: &Operator, widget: Arc<Widget>) -> kube::Result<Action> {
    let namespace = widget.namespace().unwrap_or_default();
    let name = widget.name_any();
    let by = PatchParams::apply("widgets").force();
    let child = ConfigMap {
        metadata: kube::api::ObjectMeta {
            name: Some(name.clone()),
            owner_references: widget.controller_owner_ref(&()).map(|owner| vec![owner]),
            ..Default::default()
        },
        data: Some([("size".to_owned(), widget.spec.size.to_string())].into()),
        ..Default::default()
    };
    let children = Api::<ConfigMap>::namespaced(operator.client.clone(), &namespace);
    children.patch(&name, &by, &Patch::Apply(&child)).await?;
    let status = json!({
        "apiVersion": Widget::api_version(&()),
        "kind": Widget::kind(&()),
        "status": WidgetStatus { ready_size: widget.spec.size },
    });
    let widgets = Api::<Widget>::namespaced(operator.client.clone(), &namespace);
    widgets
        .patch_status(&name, &by, &Patch::Apply(&status))
        .await?;
    let note = Note {
        type_: EventType::Normal,
        reason: "Made".to_owned(),
        note: Some(format!("made {}", widget.spec.size)),
        action: "Make".to_owned(),
        secondary: None,
    };
    operator
        .recorder
        .publish(&note, &widget.object_ref(&()))
        .await?;
    Ok(Action::await_change())
}

async fn reconcile(
    widget: Arc<Widget>,
    operator: Arc<Operator>,
) -> Result<Action, FinalizerError<kube::Error>> {
    let widgets = Api::<Widget>::namespaced(
        operator.client.clone(),
        &widget.namespace().unwrap_or_default(),
    );
    finalizer(
        &widgets,
        "rust.peers.knarr.test/finalizer",
        widget,
        |event| async {
            match event {
                Event::Apply(widget) => apply(&operator, widget).await,
                Event::Cleanup(_) => {
                    operator.finalized.fetch_add(1, Ordering::SeqCst);
                    Ok(Action::await_change())
                }
            }
        },
    )
    .await
}

/// Waits until an object meets a condition, as kube-rs does: by a watch.
async fn until<K>(
    what: &str,
    api: &Api<K>,
    name: &str,
    condition: impl Fn(Option<&K>) -> bool,
) -> Result<Option<K>>
where
    K: Clone + std::fmt::Debug + Send + serde::de::DeserializeOwned + Resource + 'static,
{
    let wait = await_condition(api.clone(), name, condition);
    Ok(tokio::time::timeout(Duration::from_secs(20), wait)
        .await
        .with_context(|| what.to_owned())??)
}

async fn operate(client: &Client, namespace: &str, config: watcher::Config) -> Result<()> {
    let widgets = Api::<Widget>::namespaced(client.clone(), namespace);
    let children = Api::<ConfigMap>::namespaced(client.clone(), namespace);
    let reporter = Reporter {
        controller: "widgets".to_owned(),
        instance: None,
    };
    let operator = Arc::new(Operator {
        client: client.clone(),
        recorder: Recorder::new(client.clone(), reporter),
        finalized: AtomicU32::new(0),
    });
    let controller = Controller::new(widgets.clone(), config.clone())
        .owns(children.clone(), config)
        .run(
            reconcile,
            |_, error, _| {
                println!("reconcile: {error}");
                Action::requeue(Duration::from_millis(500))
            },
            operator.clone(),
        )
        .for_each(|_| std::future::ready(()));
    let controller = tokio::spawn(controller);

    match widgets
        .create(
            &PostParams::default(),
            &Widget::new("invalid", WidgetSpec { size: -1 }),
        )
        .await
    {
        Err(kube::Error::Api(status)) if status.is_invalid() => {}
        other => bail!("an invalid widget: {other:?}"),
    }
    widgets
        .create(
            &PostParams::default(),
            &Widget::new("w", WidgetSpec { size: 1 }),
        )
        .await?;
    let ready = |size: i32| {
        move |widget: Option<&Widget>| {
            widget
                .and_then(|widget| widget.status.as_ref())
                .is_some_and(|status| status.ready_size == size)
        }
    };
    until("size 1", &widgets, "w", ready(1)).await?;
    let child = children.get("w").await?;
    ensure!(
        child.owner_references().len() == 1,
        "the child's owners: {:?}",
        child.owner_references()
    );
    // A deleted owned object is created again, because its owner is reconciled.
    children.delete("w", &DeleteParams::default()).await?;
    let uid = child.uid();
    until("the child again", &children, "w", move |again| {
        again.is_some_and(|again| again.uid() != uid)
    })
    .await?;
    widgets
        .patch(
            "w",
            &PatchParams::default(),
            &Patch::Merge(json!({ "spec": { "size": 2 } })),
        )
        .await?;
    until("size 2", &widgets, "w", ready(2)).await?;
    let meta = widgets.get_metadata("w").await?;
    ensure!(
        meta.finalizers().len() == 1,
        "the finalizers: {:?}",
        meta.finalizers()
    );
    let by_meta = children
        .list_metadata(&ListParams::default().fields("metadata.name=w"))
        .await?;
    ensure!(
        by_meta.items.len() == 1,
        "{} children by their metadata",
        by_meta.items.len()
    );
    widgets.delete("w", &DeleteParams::foreground()).await?;
    until("no widget", &widgets, "w", |widget| widget.is_none()).await?;
    until("no child", &children, "w", |child| child.is_none()).await?;
    // More than once when the controller runs before its cache shows the removed finalizer.
    ensure!(
        operator.finalized.load(Ordering::SeqCst) > 0,
        "the finalizer did not run"
    );
    controller.abort();
    Ok(())
}

/// The events of a plain watch that ends by its timeout; the last event is a bookmark.
async fn bookmarks(client: &Client, namespace: &str) -> Result<()> {
    let maps = Api::<ConfigMap>::namespaced(client.clone(), namespace);
    let version = maps
        .list(&ListParams::default())
        .await?
        .metadata
        .resource_version
        .unwrap_or_default();
    let map: ConfigMap = serde_json::from_value(json!({ "metadata": { "name": "watched" } }))?;
    maps.create(&PostParams::default(), &map).await?;
    let events: Vec<_> = maps
        .watch(
            &WatchParams::default()
                .timeout(4)
                .fields("metadata.name=watched"),
            &version,
        )
        .await?
        .try_collect()
        .await?;
    match events.as_slice() {
        [WatchEvent::Added(added), WatchEvent::Bookmark(bookmark)] => ensure!(
            added.resource_version() <= Some(bookmark.metadata.resource_version.clone()),
            "the bookmark is older than the event: {}",
            bookmark.metadata.resource_version
        ),
        other => bail!("the watch's events: {other:?}"),
    }
    Ok(())
}

async fn pods(client: &Client, namespace: &str) -> Result<()> {
    let pods = Api::<Pod>::namespaced(client.clone(), namespace);
    let pod: Pod = serde_json::from_value(json!({
        "metadata": { "name": "p" },
        "spec": { "containers": [{ "name": "c", "image": "i" }] },
    }))?;
    pods.create(&PostParams::default(), &pod).await?;
    until("a running Pod", &pods, "p", |pod| {
        pod.and_then(|pod| pod.status.as_ref())
            .is_some_and(|status| status.phase.as_deref() == Some("Running"))
    })
    .await?;
    ensure!(
        pods.logs("p", &LogParams::default()).await?.is_empty(),
        "a simulated Pod has a log"
    );
    // A simulated image without a program refuses commands, on the WebSocket's error channel.
    let mut exec = pods
        .exec("p", ["true"], &AttachParams::default().stderr(false))
        .await?;
    let status = exec
        .take_status()
        .context("exec has no status")?
        .await
        .context("exec ended without a status")?;
    let message = status.message.unwrap_or_default();
    ensure!(
        message.contains("cannot execute commands"),
        "exec: {message}"
    );
    pods.delete("p", &DeleteParams::default().grace_period(0))
        .await?;
    Ok(())
}

async fn run() -> Result<()> {
    let client = Client::try_default().await?;
    ensure!(
        client.apiserver_version().await?.major == "1",
        "the version"
    );
    ensure!(
        !Api::<Node>::all(client.clone())
            .list(&ListParams::default())
            .await?
            .items
            .is_empty(),
        "no nodes"
    );
    let definitions = Api::<CustomResourceDefinition>::all(client.clone());
    definitions
        .patch(
            Widget::crd_name(),
            &PatchParams::apply("peer"),
            &Patch::Apply(Widget::crd()),
        )
        .await?;
    until("the CRD", &definitions, Widget::crd_name(), |crd| {
        use kube::runtime::wait::Condition;
        conditions::is_crd_established().matches_object(crd)
    })
    .await?;
    discovery::pinned_kind(
        &client,
        &kube::core::GroupVersionKind::gvk("rust.peers.knarr.test", "v1", "Widget"),
    )
    .await?;
    discovery::Discovery::new(client.clone())
        .run_aggregated()
        .await?;
    let namespaces = Api::<Namespace>::all(client.clone());
    let modes = [
        ("kube-rs", watcher::Config::default()),
        (
            "kube-rs-streams",
            watcher::Config::default().streaming_lists(),
        ),
    ];
    for (name, config) in modes {
        let namespace: Namespace = serde_json::from_value(json!({ "metadata": { "name": name } }))?;
        namespaces
            .create(&PostParams::default(), &namespace)
            .await?;
        operate(&client, name, config)
            .await
            .with_context(|| name.to_owned())?;
    }
    bookmarks(&client, "kube-rs").await.context("bookmarks")?;
    pods(&client, "kube-rs").await.context("pods")?;
    namespaces
        .delete("kube-rs", &DeleteParams::default())
        .await?;
    namespaces
        .delete("kube-rs-streams", &DeleteParams::default())
        .await?;
    definitions
        .delete(Widget::crd_name(), &DeleteParams::default())
        .await?;
    Ok(())
}

#[tokio::main]
async fn main() -> Result<()> {
    tokio::time::timeout(Duration::from_secs(90), run())
        .await
        .context("timed out")??;
    println!("ok: kube-rs applied, watched and finalized");
    Ok(())
}
