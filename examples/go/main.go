// The quickstart: a project's private IP mode, and the connection strings of its clusters.
package main

import (
	"github.com/pulumi-clouddb/pulumi-clouddb/sdk/go/clouddb"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/config"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		projectID := pulumi.String(config.New(ctx, "").Require("projectId"))

		// Off, so that applications outside the peered network can connect, too.
		privateIPMode, err := clouddb.NewPrivateIpMode(ctx, "orders", &clouddb.PrivateIpModeArgs{
			ProjectId: projectID,
			Enabled:   pulumi.Bool(false),
		})
		if err != nil {
			return err
		}

		orders, err := clouddb.NewClusterConnectionStrings(ctx, "orders", &clouddb.ClusterConnectionStringsArgs{
			ProjectId:   projectID,
			ClusterName: pulumi.String("orders"),
			Network:     clouddb.NetworkArgs{Kind: clouddb.NetworkKindPeering},
		})
		if err != nil {
			return err
		}

		analytics, err := clouddb.NewClusterConnectionStrings(ctx, "analytics", &clouddb.ClusterConnectionStringsArgs{
			ProjectId:   projectID,
			ClusterName: pulumi.String("analytics"),
			Network: clouddb.NetworkArgs{
				Kind:   clouddb.NetworkKindPrivateEndpoint,
				Region: pulumi.String("eu-west-1"),
			},
		})
		if err != nil {
			return err
		}

		billing, err := clouddb.NewClusterConnectionStrings(ctx, "billing", &clouddb.ClusterConnectionStringsArgs{
			ProjectId:   projectID,
			ClusterName: pulumi.String("billing"),
		})
		if err != nil {
			return err
		}

		sessions, err := clouddb.NewClusterConnectionStrings(ctx, "sessions", &clouddb.ClusterConnectionStringsArgs{
			ProjectId:   projectID,
			ClusterName: pulumi.String("sessions"),
			Form:        clouddb.StringFormHosts,
		})
		if err != nil {
			return err
		}

		ctx.Export("privateIpModeEnabled", privateIPMode.Enabled)
		ctx.Export("ordersFromPeeredNetwork", orders.Recommended)
		ctx.Export("analyticsFromPrivateEndpoint", analytics.Recommended)
		ctx.Export("billingFromInternet", billing.Recommended)
		ctx.Export("billingLegacy", billing.LegacySrv)
		ctx.Export("sessionsFromInternet", sessions.Recommended)
		return nil
	})
}
