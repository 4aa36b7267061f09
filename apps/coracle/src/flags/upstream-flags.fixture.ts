const names = (text: string): readonly string[] => text.trim().split(/\s+/);

const logging = names(`log-flush-frequency log-json-info-buffer-size log-json-split-stream log-text-info-buffer-size
  log-text-split-stream logging-format v vmodule`);
const metrics = names(`allow-metric-labels allow-metric-labels-manifest disabled-metrics
  show-hidden-metrics-for-version`);
const versions = names('emulated-version feature-gates');
const serving = names(`bind-address cert-dir disable-http2-serving http2-max-streams-per-connection
  permit-address-sharing permit-port-sharing secure-port tls-cert-file tls-cipher-suites tls-curve-preferences
  tls-min-version tls-private-key-file tls-sni-cert-key`);
const requestHeaders = names(`requestheader-allowed-names requestheader-client-ca-file
  requestheader-extra-headers-prefix requestheader-group-headers requestheader-uid-headers
  requestheader-username-headers`);
const delegated = names(`authentication-kubeconfig authentication-skip-lookup authentication-token-webhook-cache-ttl
  authentication-tolerate-lookup-failure authorization-always-allow-paths authorization-kubeconfig
  authorization-webhook-cache-authorized-ttl authorization-webhook-cache-unauthorized-ttl client-ca-file`);
const election = names(`leader-elect leader-elect-lease-duration leader-elect-renew-deadline
  leader-elect-resource-lock leader-elect-resource-name leader-elect-resource-namespace leader-elect-retry-period`);
const connection = names('kube-api-burst kube-api-content-type kube-api-qps kubeconfig master');
const profiling = names('contention-profiling profiling');
const auditBatches = (sink: string) =>
  names(`batch-buffer-size batch-max-size batch-max-wait batch-throttle-burst batch-throttle-enable
    batch-throttle-qps mode truncate-enabled truncate-max-batch-size truncate-max-event-size version`).map(
    (name) => `audit-${sink}-${name}`,
  );

/** The flags of the components of Kubernetes v1.36, but for `--help` and `--version`. */
export const upstreamFlags = {
  apiserver: [
    ...[...logging, ...metrics, ...versions, ...serving, ...requestHeaders, ...profiling],
    ...[...auditBatches('log'), ...auditBatches('webhook')],
    ...names(`audit-log-compress audit-log-format audit-log-maxage audit-log-maxbackup audit-log-maxsize
      audit-log-path audit-policy-file audit-webhook-config-file audit-webhook-initial-backoff`),
    ...names(`admission-control admission-control-config-file advertise-address aggregator-reject-forwarding-redirect
      allow-privileged anonymous-auth api-audiences apiserver-count authentication-config
      authentication-token-webhook-cache-ttl authentication-token-webhook-config-file
      authentication-token-webhook-version authorization-config authorization-mode authorization-policy-file
      authorization-webhook-cache-authorized-ttl authorization-webhook-cache-unauthorized-ttl
      authorization-webhook-config-file authorization-webhook-version client-ca-file
      coordinated-leadership-lease-duration coordinated-leadership-renew-deadline coordinated-leadership-retry-period
      cors-allowed-origins debug-socket-path default-not-ready-toleration-seconds
      default-unreachable-toleration-seconds default-watch-cache-size delete-collection-workers
      disable-admission-plugins egress-selector-config-file emulation-forward-compatible enable-admission-plugins
      enable-aggregator-routing enable-bootstrap-token-auth enable-garbage-collector enable-logs-handler
      enable-priority-and-fairness encryption-provider-config encryption-provider-config-automatic-reload
      endpoint-reconciler-type etcd-cafile etcd-certfile etcd-compaction-interval etcd-count-metric-poll-period
      etcd-db-metric-poll-interval etcd-healthcheck-timeout etcd-keyfile etcd-prefix etcd-readycheck-timeout
      etcd-servers etcd-servers-overrides event-ttl external-hostname goaway-chance kubelet-certificate-authority
      kubelet-client-certificate kubelet-client-key kubelet-port kubelet-preferred-address-types
      kubelet-read-only-port kubelet-timeout kubernetes-service-node-port lease-reuse-duration-seconds
      livez-grace-period max-connection-bytes-per-sec max-mutating-requests-inflight max-requests-inflight
      min-request-timeout oidc-ca-file oidc-client-id oidc-groups-claim oidc-groups-prefix oidc-issuer-url
      oidc-required-claim oidc-signing-algs oidc-username-claim oidc-username-prefix peer-advertise-ip
      peer-advertise-port peer-ca-file proxy-client-cert-file proxy-client-key-file request-timeout runtime-config
      runtime-config-emulation-forward-compatible service-account-extend-token-expiration service-account-issuer
      service-account-jwks-uri service-account-key-file service-account-lookup service-account-max-token-expiration
      service-account-signing-endpoint service-account-signing-key-file service-cluster-ip-range
      service-node-port-range shutdown-delay-duration shutdown-send-retry-after
      shutdown-watch-termination-grace-period storage-backend storage-initialization-timeout storage-media-type
      strict-transport-security-directives token-auth-file tracing-config-file watch-cache watch-cache-sizes`),
  ],
  'controller-manager': [
    ...[...logging, ...metrics, ...versions, ...serving, ...requestHeaders, ...profiling],
    ...[...delegated, ...election, ...connection],
    ...names(`allocate-node-cidrs allow-untagged-cloud attach-detach-reconcile-sync-period cidr-allocator-type
      cloud-config cloud-provider cluster-cidr cluster-name cluster-signing-cert-file cluster-signing-duration
      cluster-signing-key-file cluster-signing-kube-apiserver-client-cert-file
      cluster-signing-kube-apiserver-client-key-file cluster-signing-kubelet-client-cert-file
      cluster-signing-kubelet-client-key-file cluster-signing-kubelet-serving-cert-file
      cluster-signing-kubelet-serving-key-file cluster-signing-legacy-unknown-cert-file
      cluster-signing-legacy-unknown-key-file concurrent-cron-job-syncs concurrent-daemonset-syncs
      concurrent-deployment-syncs concurrent-endpoint-syncs concurrent-ephemeralvolume-syncs concurrent-gc-syncs
      concurrent-horizontal-pod-autoscaler-syncs concurrent-job-syncs concurrent-namespace-syncs
      concurrent-rc-syncs concurrent-replicaset-syncs concurrent-resource-claim-syncs concurrent-resource-quota-syncs
      concurrent-service-endpoint-syncs concurrent-service-syncs concurrent-serviceaccount-token-syncs
      concurrent-statefulset-syncs concurrent-ttl-after-finished-syncs
      concurrent-validating-admission-policy-status-syncs configure-cloud-routes controller-shutdown-timeout
      controller-start-interval controllers disable-attach-detach-reconcile-sync disable-force-detach-on-timeout
      enable-dynamic-provisioning enable-garbage-collector enable-hostpath-provisioner
      enable-leader-migration endpoint-updates-batch-period endpointslice-updates-batch-period
      external-cloud-volume-plugin flex-volume-plugin-dir horizontal-pod-autoscaler-cpu-initialization-period
      horizontal-pod-autoscaler-downscale-stabilization horizontal-pod-autoscaler-initial-readiness-delay
      horizontal-pod-autoscaler-sync-period horizontal-pod-autoscaler-tolerance large-cluster-size-threshold
      leader-migration-config legacy-service-account-token-clean-up-period max-endpoints-per-slice min-resync-period
      mirroring-concurrent-service-endpoint-syncs mirroring-endpointslice-updates-batch-period
      mirroring-max-endpoints-per-subset namespace-sync-period node-cidr-mask-size node-cidr-mask-size-ipv4
      node-cidr-mask-size-ipv6 node-eviction-rate node-monitor-grace-period node-monitor-period
      node-startup-grace-period pv-recycler-increment-timeout-nfs pv-recycler-minimum-timeout-hostpath
      pv-recycler-minimum-timeout-nfs pv-recycler-pod-template-filepath-hostpath
      pv-recycler-pod-template-filepath-nfs pv-recycler-timeout-increment-hostpath pvclaimbinder-sync-period
      resource-quota-sync-period root-ca-file route-reconciliation-period secondary-node-eviction-rate
      service-account-private-key-file service-cluster-ip-range terminated-pod-gc-threshold
      unhealthy-zone-threshold use-service-account-credentials`),
  ],
  scheduler: [
    ...[...logging, ...metrics, ...versions, ...serving, ...requestHeaders, ...profiling],
    ...[...delegated, ...election, ...connection],
    ...names('config pod-max-in-unschedulable-pods-duration write-config-to'),
  ],
  proxy: [
    ...logging,
    ...names(`bind-address bind-address-hard-fail cleanup cluster-cidr config config-sync-period
      conntrack-max-per-core conntrack-min conntrack-tcp-be-liberal conntrack-tcp-timeout-close-wait
      conntrack-tcp-timeout-established conntrack-udp-timeout conntrack-udp-timeout-stream detect-local-mode
      feature-gates healthz-bind-address hostname-override init-only
      iptables-localhost-nodeports iptables-masquerade-bit iptables-min-sync-period iptables-sync-period
      ipvs-exclude-cidrs ipvs-min-sync-period ipvs-scheduler ipvs-strict-arp ipvs-sync-period ipvs-tcp-timeout
      ipvs-tcpfin-timeout ipvs-udp-timeout kube-api-burst kube-api-content-type kube-api-qps kubeconfig
      masquerade-all master metrics-bind-address nodeport-addresses oom-score-adj
      pod-bridge-interface pod-interface-name-prefix profiling proxy-mode
      show-hidden-metrics-for-version write-config-to`),
  ],
  kubelet: [
    ...logging,
    ...names(`address allowed-unsafe-sysctls anonymous-auth authentication-token-webhook
      authentication-token-webhook-cache-ttl authorization-mode authorization-webhook-cache-authorized-ttl
      authorization-webhook-cache-unauthorized-ttl bootstrap-kubeconfig cert-dir cgroup-driver cgroup-root
      cgroups-per-qos client-ca-file cloud-provider cluster-dns cluster-domain config config-dir
      container-log-max-files container-log-max-size container-runtime-endpoint contention-profiling cpu-cfs-quota
      cpu-cfs-quota-period cpu-manager-policy cpu-manager-policy-options cpu-manager-reconcile-period
      enable-controller-attach-detach enable-debugging-handlers enable-server enforce-node-allocatable event-burst
      event-qps eviction-hard eviction-max-pod-grace-period eviction-minimum-reclaim
      eviction-pressure-transition-period eviction-soft eviction-soft-grace-period exit-on-lock-contention fail-swap-on feature-gates
      file-check-frequency hairpin-mode healthz-bind-address healthz-port hostname-override http-check-frequency
      image-credential-provider-bin-dir image-credential-provider-config image-gc-high-threshold
      image-gc-low-threshold image-service-endpoint kernel-memcg-notification kube-api-burst kube-api-content-type
      kube-api-qps kube-reserved kube-reserved-cgroup kubeconfig kubelet-cgroups local-storage-capacity-isolation
      lock-file make-iptables-util-chains manifest-url manifest-url-header max-open-files max-pods
      maximum-dead-containers maximum-dead-containers-per-container memory-manager-policy
      minimum-container-ttl-duration minimum-image-ttl-duration node-ip node-labels node-status-max-images
      node-status-update-frequency oom-score-adj pod-cidr pod-manifest-path pod-max-pids pods-per-core port
      protect-kernel-defaults provider-id qos-reserved read-only-port register-node register-with-taints
      registry-burst registry-qps reserved-cpus reserved-memory resolv-conf root-dir rotate-certificates
      rotate-server-certificates runtime-cgroups runtime-request-timeout seccomp-default
      serialize-image-pulls streaming-connection-idle-timeout sync-frequency system-cgroups system-reserved
      system-reserved-cgroup tls-cert-file tls-cipher-suites tls-curve-preferences tls-min-version
      tls-private-key-file topology-manager-policy topology-manager-policy-options topology-manager-scope
      volume-plugin-dir volume-stats-agg-period`),
  ],
} as const;
