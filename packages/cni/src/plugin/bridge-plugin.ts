import { isRecord } from '@coracle/base';
import { asCniError, CniError, cniErrorCodes } from '../cni-error.js';
import { parseResult } from '../parse-result.js';
import type { CniResult } from '../result.js';
import { egressLimitOf, unlimitDevice } from './bandwidth.js';
import { type BridgeConfig, parseBridgeConfig } from './bridge-config.js';
import { hostPortElements } from './host-ports.js';
import { leaseAddresses, releaseAll } from './lease-addresses.js';
import { ownerOf } from './names.js';
import { addHostPorts, nodeTableRules, removeHostPorts } from './node-table.js';
import { bridgeSysctls, bringUpBridge, createBridge, planAttachment, podRanges } from './plan-attachment.js';
import type { LeasedAttachment, LeaseStore, PluginHost } from './plugin-host.js';
import type { PluginRequest } from './plugin-request.js';

/** Connects pods to a bridge of the node and assigns them addresses of the node's pod ranges. */
export const bridgePlugin = {
  ADD(request: PluginRequest, host: PluginHost): CniResult {
    const config = parseBridgeConfig(request.config);
    const { netns, ifName } = request;
    if (!host.netnsExists(netns))
      throw new CniError(cniErrorCodes.unknownContainer, `failed to open netns ${JSON.stringify(netns)}`);
    const owner = ownerOf(request.containerId, ifName);
    const leases = host.leases(config.dataDir, config.network);
    if (leases.attachment(owner)) remove(owner, leases, host);
    const mtu = config.mtu || host.defaultMtu();
    ensureBridge(config, mtu, host);
    const addresses = leaseAddresses(leases, config.ranges, owner);
    const plan = planAttachment(config, { owner, netns, ifName, addresses, mtu });
    const hostPorts = hostPortElements(config.hostPorts, addresses);
    const { hostInterface } = plan;
    try {
      const egressLimit = egressLimitOf(config.bandwidth);
      leases.saveAttachment(owner, { hostInterface, addresses, hostPorts, ...(egressLimit && { egressLimit }) });
      host.ip(plan.host);
      host.ip(plan.pod, netns);
      if (plan.shapeHost.length > 0) host.tc(plan.shapeHost);
      if (plan.shapePod.length > 0) host.tc(plan.shapePod, netns);
      const ports = hostPorts.length > 0 ? tableOf(config) + addHostPorts(hostPorts, addresses) : '';
      if (ports || plan.limit) host.nft(plan.limit + ports);
    } catch (error) {
      remove(owner, leases, host);
      throw asCniError(error, cniErrorCodes.interfaceSetupFailed);
    }
    return plan.result;
  },

  /** A missing attachment is no error: DEL may be repeated. */
  DEL(request: PluginRequest, host: PluginHost): void {
    const { network, dataDir } = parseBridgeConfig(request.config);
    remove(ownerOf(request.containerId, request.ifName), host.leases(dataDir, network), host);
  },

  CHECK(request: PluginRequest, host: PluginHost): void {
    const { network, dataDir } = parseBridgeConfig(request.config);
    const { prevResult } = request.config;
    if (!isRecord(prevResult)) throw new CniError(cniErrorCodes.invalidNetworkConfig, 'required prevResult is missing');
    const leased = host.leases(dataDir, network).attachment(ownerOf(request.containerId, request.ifName));
    if (!leased) throw failed(`container ${request.containerId} has no lease`);
    if (!host.linkExists(leased.hostInterface)) throw failed(`interface ${leased.hostInterface} is missing`);
    checkPod(request, parseResult(prevResult), host);
  },

  /** Ready when there is a range to allocate addresses from and the tools work. */
  STATUS(request: PluginRequest, host: PluginHost): void {
    try {
      parseBridgeConfig(request.config);
      host.ipJson(['link', 'show', 'lo']);
    } catch (error) {
      throw new CniError(cniErrorCodes.pluginNotAvailable, asCniError(error).message);
    }
  },

  /** Removes every attachment that the runtime does not name, and addresses that no attachment has. */
  GC(request: PluginRequest, host: PluginHost): void {
    const { network, dataDir } = parseBridgeConfig(request.config);
    const leases = host.leases(dataDir, network);
    const named: unknown = request.config['cni.dev/valid-attachments'];
    const listed: readonly unknown[] = Array.isArray(named) ? named : [];
    const valid = new Set(
      listed.filter(isRecord).map(({ containerID, ifname }) => ownerOf(String(containerID), String(ifname))),
    );
    const owners = new Set([...leases.owners(), ...leases.claims().map(({ owner }) => owner)]);
    for (const owner of owners) if (!valid.has(owner)) remove(owner, leases, host);
  },
};

/** Several may make the bridge at once: one succeeds, and the others find it made and do the rest again. */
function ensureBridge(config: BridgeConfig, mtu: number, host: PluginHost): void {
  if (host.linkExists(config.bridge)) return;
  try {
    host.ip([createBridge(config, mtu)]);
  } catch (error) {
    if (!host.linkExists(config.bridge)) throw asCniError(error, cniErrorCodes.interfaceSetupFailed);
  }
  for (const [path, value] of bridgeSysctls(config)) host.sysctl(path, value);
  host.ip(bringUpBridge(config));
  host.nft(tableOf(config));
}

function tableOf({ bridge, masqueradeExcept: except, ranges }: BridgeConfig): string {
  return nodeTableRules(bridge, except && { sources: podRanges(ranges), except });
}

/** The addresses are released last: no other pod may get one while the old pod still answers on it. */
function remove(owner: string, leases: LeaseStore, host: PluginHost): void {
  const leased = leases.attachment(owner);
  if (leased) {
    if (host.linkExists(leased.hostInterface)) host.ip([`link del ${leased.hostInterface}`]);
    if (leased.hostPorts.length > 0) removePorts(leased, host);
    if (leased.egressLimit) removeLimit(leased, host);
  }
  releaseAll(leases, owner);
}

/** A port that another pod has taken over meanwhile stays with it; the others go. */
function removePorts({ hostPorts, addresses }: LeasedAttachment, host: PluginHost): void {
  try {
    host.nft(removeHostPorts(hostPorts, addresses));
  } catch {
    for (const one of hostPorts) {
      try {
        host.nft(removeHostPorts([one], []));
      } catch {
        // It has another target, or the whole table is missing.
      }
    }
  }
}

function removeLimit({ hostInterface }: LeasedAttachment, host: PluginHost): void {
  try {
    host.nft(unlimitDevice(hostInterface));
  } catch {
    // It was never created, or the rules have been flushed.
  }
}

function checkPod({ netns, ifName }: PluginRequest, { ips = [], routes = [] }: CniResult, host: PluginHost): void {
  const shown = host.ipJson(['addr', 'show', 'dev', ifName], netns);
  const link = Array.isArray(shown) ? shown.find((one) => isRecord(one) && one['ifname'] === ifName) : undefined;
  if (!isRecord(link)) throw failed(`interface ${ifName} is missing in ${netns}`);
  const present = (Array.isArray(link['addr_info']) ? link['addr_info'] : [])
    .filter(isRecord)
    .map(({ local, prefixlen }) => `${local}/${prefixlen}`);
  const missing = ips.find(({ address }) => !present.includes(address));
  if (missing) throw failed(`address ${missing.address} is missing on ${ifName}`);
  for (const { dst } of routes) {
    const family = dst.includes(':') ? '-6' : '-4';
    const found = host.ipJson([family, 'route', 'show', 'exact', dst], netns);
    if (!Array.isArray(found) || found.length === 0) throw failed(`route ${dst} is missing`);
  }
}

function failed(message: string): CniError {
  return new CniError(cniErrorCodes.checkFailed, message);
}
